/** The commands that look at skills and runs, and change nothing. */
import { type Command, Option } from 'commander';

export function addLookCommands(program: Command): void {
  program
    .command('list')
    .description('the skills that can be run, and where they come from')
    .option('--json', 'as JSON')
    .action(async (_options, command: Command) => {
      const { listCommand } = await import('./list.js');
      await listCommand(command.optsWithGlobals());
    });

  program
    .command('show <what> [step]')
    .description('a skill (its steps and inputs), a run (<skill>/<slug>), or a step of a run')
    .option('--json', 'as JSON')
    .action(async (what: string, step: string | undefined, _options, command: Command) => {
      const { showCommand } = await import('./show.js');
      await showCommand(what, step, command.optsWithGlobals());
    });

  program
    .command('graph <what>')
    .description('the steps of a skill, a file or a run (<skill>/<slug>) as a tree or a drawing')
    .addOption(
      new Option('--format <format>', 'how it is written')
        .choices(['ascii', 'mermaid', 'svg', 'json'])
        .default('ascii'),
    )
    .option('--run <run>', 'marks each step with what became of it in this run')
    .option('--json', 'as --format json')
    .action(async (what: string, _options, command: Command) => {
      const { graphCommand } = await import('./graph.js');
      await graphCommand(what, command.optsWithGlobals());
    });

  program
    .command('explain <run> [step]')
    .description(
      'why a step of a run ran, was reused or skipped; of an id, all its places; without a step, a line for each',
    )
    .option('--json', 'as JSON')
    .action(async (run: string, step: string | undefined, _options, command: Command) => {
      const { explainCommand } = await import('./explain.js');
      explainCommand(run, step, command.optsWithGlobals());
    });

  program
    .command('diff <runA> <runB>')
    .description('what differs between two runs, step by step; exit 0 when nothing does, 1 when something does')
    .option('--all', 'list the steps that are equal as well')
    .option('--json', 'as JSON')
    .action(async (runA: string, runB: string, _options, command: Command) => {
      const { diffCommand } = await import('./diff.js');
      diffCommand(runA, runB, command.optsWithGlobals());
    });

  program
    .command('doctor')
    .description('what this machine can do: Node, programs, the sandbox, configuration, models, skills, disk')
    .option('--json', 'as JSON')
    .option('--no-detect', 'do not look for model servers on this machine')
    .action(async (_options, command: Command) => {
      const { doctorCommand } = await import('./doctor.js');
      await doctorCommand(command.optsWithGlobals());
    });

  const models = program
    .command('models')
    .description(
      'the models that are configured or found, and what stands behind `default`; asks none of them anything',
    )
    .option('--json', 'as JSON')
    .option('--no-detect', 'do not look for model servers on this machine')
    .action(async (_options, command: Command) => {
      const { modelsCommand } = await import('./models.js');
      await modelsCommand(command.optsWithGlobals());
    });
  models
    .command('test <name>')
    .description(
      'tries a role or provider/model-id with two small calls: what it can do, what that cost; exit 0 if it can run agents',
    )
    .option('--json', 'as JSON')
    .action(async (name: string, _options, command: Command) => {
      const { modelsTestCommand } = await import('./models-test.js');
      await modelsTestCommand(name, command.optsWithGlobals());
    });
}
