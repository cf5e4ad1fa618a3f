/** The commands for authors: init, reference, check, test, simulate. */
import { type Command, Option } from 'commander';
import { TEMPLATE_NAMES } from '../init/starter.js';

export function addAuthorCommands(program: Command): void {
  program
    .command('init [name]')
    .description('write a small working skill into skills/<name>/, with a test')
    .addOption(
      new Option(
        '--template <template>',
        'steps: a declared pipeline; single: a SKILL.md alone, one agent; next-loop: a script that says what comes next',
      )
        .choices(TEMPLATE_NAMES)
        .default('steps'),
    )
    .option('--json', 'as JSON')
    .action(async (name: string | undefined, _options, command: Command) => {
      const { initCommand } = await import('./init.js');
      initCommand(name, command.optsWithGlobals());
    });

  program
    .command('reference')
    .description('all that is needed to write a pipeline, as one text: for a person, or for an agent that writes one')
    .option('--json', 'its parts, the schemas and an example as JSON')
    .action(async (_options, command: Command) => {
      const { referenceCommand } = await import('./reference.js');
      referenceCommand(command.optsWithGlobals());
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
    .option('--junit <file>', 'write JUnit XML into this file as well')
    .option('--json', 'as JSON')
    .option('--filter <text>', 'only tests whose name or file holds this text')
    .option('--keep', 'keep the run folders')
    .action(async (targets: string[], _options, command: Command) => {
      const { testCommand } = await import('./test.js');
      await testCommand(targets, command.optsWithGlobals());
    });

  program
    .command('simulate <target>')
    .description(
      'drive a skill or file through whatever models, processes, persons and crashes may do; no model is asked',
    )
    .option('--runs <count>', 'how many runs')
    .option('--time <duration>', 'how long; 30s unless --runs is given')
    .option('--seed <seed>', 'the same runs again')
    .option('--trace', 'only the run of this seed, step by step')
    .option(
      '--query <text>',
      "instead of the simulation file's; each run is given one of them (repeatable)",
      (one: string, all: string[] | undefined) => [...(all ?? []), one],
    )
    .option(
      '--input <key=value>',
      "instead of the simulation file's (repeatable)",
      (one: string, all: string[]) => [...all, one],
      [],
    )
    .option('--json', 'as JSON')
    .action(async (target: string, _options, command: Command) => {
      const { simulateCommand } = await import('./simulate.js');
      await simulateCommand(target, command.optsWithGlobals());
    });
}
