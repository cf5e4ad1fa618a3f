/** The commands that look at skills and runs, and change nothing. */
import { Argument, type Command, Option } from 'commander';
import { wholeNumber } from './commands-runs.js';

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
    .command('transcript <run> <step>')
    .description("the conversation of a run's agent: what it was asked, called, was given and said")
    .option(
      '--max <characters>',
      'about as many at most: the prompt and the last messages; 0 for all',
      wholeNumber,
      20_000,
    )
    .option('--json', 'as JSON')
    .action(async (run: string, step: string, _options, command: Command) => {
      const { transcriptCommand } = await import('./transcript.js');
      transcriptCommand(run, step, command.optsWithGlobals());
    });

  program
    .command('logs <run> [step]')
    .description('what happened in a run, with times; of a step also what it was told and said')
    .option('-f, --follow', 'go on until the run ends, wherever it goes on')
    .option('--json', 'as JSON; with -f one entry a line')
    .action(async (run: string, step: string | undefined, _options, command: Command) => {
      const { logsCommand } = await import('./logs.js');
      await logsCommand(run, step, command.optsWithGlobals());
    });

  program
    .command('open <run>')
    .description('the report of a run, in the browser')
    .option('--print', 'only say where it is')
    .option('--json', 'as JSON')
    .action(async (run: string, _options, command: Command) => {
      const { openCommand } = await import('./open.js');
      await openCommand(run, command.optsWithGlobals());
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
    .command('completion')
    .description('what a shell needs to complete commands, options, skills, runs and steps; its first line says how')
    .addArgument(new Argument('<shell>', 'which one').choices(['bash', 'zsh', 'fish']))
    .action(async (shell: 'bash' | 'zsh' | 'fish') => {
      const { completionCommand } = await import('./completion.js');
      completionCommand(shell);
    });

  program
    .command('config')
    .description('the settings that count here: project, models, environment; no value of a key')
    .option('--explain', 'where each comes from: file and line, variable, default')
    .option('--json', 'as JSON')
    .action(async (_options, command: Command) => {
      const { configCommand } = await import('./config.js');
      configCommand(command.optsWithGlobals());
    });

  program
    .command('doctor')
    .description(
      'what this machine can do, and what would mend the rest; exit 1 where nothing can start (a model that does not answer is a warning: sketch still runs)',
    )
    .option('--json', 'as JSON')
    .option('--no-detect', 'do not look for model servers on this machine')
    .option('--offline', 'ask no service whether it answers and takes its key')
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
