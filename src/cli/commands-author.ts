/** The commands for authors: init, check, test. */
import { type Command, Option } from 'commander';

export function addAuthorCommands(program: Command): void {
  program
    .command('init [name]')
    .description('write a small working pipeline into skills/<name>/: a prompt, a schema, a test')
    .option('--json', 'as JSON')
    .action(async (name: string | undefined, _options, command: Command) => {
      const { initCommand } = await import('./init.js');
      initCommand(name, command.optsWithGlobals());
    });

  program
    .command('check [targets...]')
    .description('find the mistakes of skills or files; all skills of the project without a target')
    .option('--strict', 'warnings are errors, and a SKILL.md is held to the letter of the Agent Skills specification')
    .option('--fix', 'make the edits that are certain, then say what is left')
    .addOption(new Option('--format <format>', 'how findings are written').choices(['text', 'json', 'sarif']))
    .option('--json', 'short for --format json')
    .action(async (targets: string[], _options, command: Command) => {
      const { checkCommand } = await import('./check.js');
      await checkCommand(targets, command.optsWithGlobals());
    });

  program
    .command('test [targets...]')
    .description('run the tests of skills without a token; of all skills of the project without a target')
    .addOption(new Option('--reporter <reporter>', 'how it is reported').choices(['text', 'junit']).default('text'))
    .option('--filter <text>', 'only tests whose name or file holds this text')
    .option('--keep', 'keep the run folders')
    .action(async (targets: string[], _options, command: Command) => {
      const { testCommand } = await import('./test.js');
      await testCommand(targets, command.optsWithGlobals());
    });
}
