/** The commands for the runs there are: runs, and those of it that remove some. */
import { type Command, InvalidArgumentError } from 'commander';

export function addRunsCommands(program: Command): void {
  const runs = program
    .command('runs [skill]')
    .description('the runs there are, newest first; rm and prune remove some')
    .option('--json', 'as JSON')
    .action(async (skill: string | undefined, _options, command: Command) => {
      const { runsCommand } = await import('./runs.js');
      await runsCommand(skill, command.optsWithGlobals());
    });

  runs
    .command('rm <run...>')
    .description('remove these runs, with all that they hold; asks first')
    .option('--yes', 'do not ask')
    .option('--json', 'as JSON')
    .action(async (names: string[], _options, command: Command) => {
      const { runsRmCommand } = await import('./runs-rm.js');
      await runsRmCommand(names, command.optsWithGlobals());
    });

  runs
    .command('prune')
    .description('remove the runs that fit all that is given: age, status, number; asks first')
    .option('--older-than <age>', 'in which nothing happened for so long: 30d, 12h')
    .option('--status <status,...>', 'with one of these: done, failed, cancelled, interrupted, …')
    .option('--keep <n>', 'but not the newest <n> of each skill', wholeNumber)
    .option('--dry-run', 'say what would go, remove nothing')
    .option('--yes', 'do not ask')
    .option('--json', 'as JSON')
    .action(async (_options, command: Command) => {
      const { runsPruneCommand } = await import('./runs-prune.js');
      await runsPruneCommand(command.optsWithGlobals());
    });
}

export function wholeNumber(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It is not a whole number.');
}
