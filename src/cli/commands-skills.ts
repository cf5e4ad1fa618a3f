/** The commands for skills that come from elsewhere: add, list, show, update, remove, trust, check. */
import type { Command } from 'commander';

export function addSkillsCommands(program: Command): void {
  const skills = program
    .command('skills')
    .description('skills from elsewhere: add them, look at them, keep them as agreed');

  skills
    .command('add <source>')
    .description('fetch skills from a git address, owner/repo of GitHub or a folder; says what they may do, and asks')
    .option('--skill <name>', 'only this one of those it has (repeatable)', collect, [])
    .option('-y, --yes', 'copy without asking')
    .option('--json', 'as JSON')
    .action(async (source: string, _options, command: Command) => {
      const { skillsAddCommand } = await import('./skills-add.js');
      await skillsAddCommand(source, command.optsWithGlobals());
    });

  skills
    .command('list')
    .description('the skills that were added, where they came from, whether they changed since')
    .option('--json', 'as JSON')
    .action(async (_options, command: Command) => {
      const { skillsListCommand } = await import('./skills-look.js');
      await skillsListCommand(command.optsWithGlobals());
    });

  skills
    .command('show <name>')
    .description('where an added skill came from, and what it may do')
    .option('--json', 'as JSON')
    .action(async (name: string, _options, command: Command) => {
      const { skillsShowCommand } = await import('./skills-look.js');
      await skillsShowCommand(name, command.optsWithGlobals());
    });

  skills
    .command('update [name]')
    .description('fetch an added skill again, or all of them; says what changed and what they may do more, and asks')
    .option('-y, --yes', 'replace without asking, unless it may do more than before')
    .option('--json', 'as JSON')
    .action(async (name: string | undefined, _options, command: Command) => {
      const { skillsUpdateCommand } = await import('./skills-update.js');
      await skillsUpdateCommand(name, command.optsWithGlobals());
    });

  skills
    .command('remove <name>')
    .description('take an added skill away')
    .option('-y, --yes', 'also if it was changed here')
    .option('--json', 'as JSON')
    .action(async (name: string, _options, command: Command) => {
      const { skillsRemoveCommand } = await import('./skills-keep.js');
      await skillsRemoveCommand(name, command.optsWithGlobals());
    });

  skills
    .command('trust <name>')
    .description('agree to an added skill as it is now, after its files changed')
    .option('--json', 'as JSON')
    .action(async (name: string, _options, command: Command) => {
      const { skillsTrustCommand } = await import('./skills-keep.js');
      await skillsTrustCommand(name, command.optsWithGlobals());
    });

  skills
    .command('check')
    .description('whether the added skills are still what was agreed to; exit 4 if not')
    .option('--json', 'as JSON')
    .action(async (_options, command: Command) => {
      const { skillsCheckCommand } = await import('./skills-look.js');
      await skillsCheckCommand(command.optsWithGlobals());
    });
}

function collect(value: string, earlier: readonly string[]): string[] {
  return [...earlier, value];
}
