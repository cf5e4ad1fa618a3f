/** The commands: names, arguments, options, help; each command's work is in a file of its own. */
import { Command, CommanderError, Option } from 'commander';
import { FAULTS, Fault, type FaultData, toFault } from '../core/faults.js';
import { plainText } from '../sinks/words.js';
import { version } from '../version.js';
import { muteClosedPipes, printJson, say } from './output.js';

const EXAMPLES = `Examples:
  pipeline run idea-spark "sparse attention for long documents"   run a skill over a query
  pipeline run ./my/pipeline.yaml --input year=2024 "a query"     run a file
  pipeline run idea-spark "…" --resume                            go on after a crash, reuse what is unchanged
  pipeline check idea-spark                                       find mistakes before anything runs
  pipeline list                                                   the skills there are
  pipeline runs                                                   the runs there are
  pipeline show idea-spark/latest audit                           what a step did
`;

export async function main(argv: readonly string[]): Promise<void> {
  muteClosedPipes();
  const program = build();
  try {
    await program.parseAsync(argv, { from: 'user' });
  } catch (error) {
    process.exitCode = exitOf(error, asksForJson(argv));
  }
}

/** Says what was thrown; with --json also as the one document on stdout. */
function exitOf(error: unknown, asJson: boolean): number {
  if (error instanceof CommanderError && error.exitCode === 0) return 0;
  const fault = faultOf(error);
  const { exit } = FAULTS[fault.code];
  if (!(error instanceof CommanderError)) say(faultText(fault));
  if (asJson) printJson({ status: 'error', exit, fault });
  return exit;
}

/** The parser has said its errors already. */
function faultOf(error: unknown): FaultData {
  if (!(error instanceof CommanderError)) return toFault(error);
  const message = error.message.replace(/^error: /, '');
  return { code: 'input.invalid', message: error.code === 'commander.help' ? 'no command was given' : message };
}

function faultText({ code, message, hint }: FaultData): string {
  const said = code === 'internal.bug' ? `A bug of ours: ${message}` : message;
  const lines = [`✗ ${said}`, ...(hint ? [`  try  ${hint}`] : [])].join('\n').split('\n');
  return lines.map(plainText).join('\n');
}

/** Before the parser has read the options, or could not. */
function asksForJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  const options = end < 0 ? argv : argv.slice(0, end);
  const format = options.indexOf('--format') + 1;
  return options.includes('--json') || options.includes('--format=json') || (format > 0 && options[format] === 'json');
}

function build(): Command {
  const program = new Command('pipeline')
    .description('Runs skills as pipelines: checked before they cost anything, resumable, explainable.')
    .version(version)
    .addHelpText('before', EXAMPLES)
    .option('--skills-dir <dir>', 'another folder of skills, searched first (repeatable)', collect, [])
    .showSuggestionAfterError()
    .exitOverride()
    .configureOutput({ writeErr: (text) => say(text) });

  program
    .command('run <target> [query...]')
    .description('run a skill, or a pipeline file, over a query')
    .option('-i, --input <name=value>', 'an input of the pipeline (repeatable)', collect, [])
    .option('-m, --model <model>', 'replaces every model: provider/model-id, sketch, script:<file>')
    .option('--record <dir>', 'write what the models are asked and say into this folder')
    .option('--replay <dir|run>', 'answer from a recording, or from a run: no model is asked, no key is needed')
    .option('--dry-run', 'say what it would do, render the prompts that are known, start nothing')
    .option('--set <path=value>', 'replaces a value of the file: steps.audit.agent.model=… (repeatable)', collect, [])
    .option('--resume', 'go on with the newest run of the same query and inputs')
    .option('--retry-unknown', 'with --resume: repeat interrupted steps that have `effect: once`')
    .option('--assume-done', 'with --resume: take the interrupted step that has `effect: once` as done')
    .option('--output <file>', 'with --assume-done: what it gave; JSON if it declares a schema, else text')
    .option('--limit <name=value>', 'tokens=<n> or time=<duration> (repeatable)', collect, [])
    .option('--max-parallel <n>', 'steps that run at once', positive)
    .option('--no-detect', 'do not look for a model server on this machine')
    .option('--json', 'one JSON document on stdout, also on failure')
    .option('-q, --quiet', 'no progress; what went wrong is still said')
    .action(async (target: string, query: string[], options, command: Command) => {
      if (options.dryRun === true) {
        const { dryRunCommand } = await import('./dry-run.js');
        return dryRunCommand(target, query.join(' '), { ...options, ...command.optsWithGlobals() });
      }
      const { runCommand } = await import('./run.js');
      await runCommand(target, query.join(' '), { ...options, ...command.optsWithGlobals() });
    });

  program
    .command('resume <run>')
    .description('go on with a run: reuse what is unchanged, do the rest')
    .option('--from <step>', 'do this step again, whatever is known of it')
    .option('-m, --model <model>', 'replaces every model: provider/model-id, sketch, script:<file>')
    .option('--record <dir>', 'write what the models are asked and say into this folder')
    .option('--replay <dir|run>', 'answer from a recording, or from a run: no model is asked, no key is needed')
    .option('--retry-unknown', 'repeat interrupted steps that have `effect: once`')
    .option('--assume-done', 'take the interrupted step that has `effect: once` as done')
    .option('--output <file>', 'with --assume-done: what it gave; JSON if it declares a schema, else text')
    .option('--limit <name=value>', 'tokens=<n> or time=<duration> (repeatable)', collect, [])
    .option('--max-parallel <n>', 'steps that run at once', positive)
    .option('--no-detect', 'do not look for a model server on this machine')
    .option('--json', 'one JSON document on stdout, also on failure')
    .option('-q, --quiet', 'no progress; what went wrong is still said')
    .action(async (run: string, options, command: Command) => {
      const { resumeCommand } = await import('./go-on.js');
      await resumeCommand(run, { ...options, ...command.optsWithGlobals(), input: [] });
    });

  program
    .command('fork <run>')
    .description('a new run that begins with what another one had finished')
    .option('--from <step>', 'do this step again, whatever is known of it')
    .option('--set <path=value>', 'replaces a value of the file: steps.audit.agent.model=… (repeatable)', collect, [])
    .option('-i, --input <name=value>', 'another value of an input (repeatable)', collect, [])
    .option('-m, --model <model>', 'replaces every model: provider/model-id, sketch, script:<file>')
    .option('--limit <name=value>', 'tokens=<n> or time=<duration> (repeatable)', collect, [])
    .option('--max-parallel <n>', 'steps that run at once', positive)
    .option('--no-detect', 'do not look for a model server on this machine')
    .option('--json', 'one JSON document on stdout, also on failure')
    .option('-q, --quiet', 'no progress; what went wrong is still said')
    .action(async (run: string, options, command: Command) => {
      const { forkCommand } = await import('./go-on.js');
      await forkCommand(run, { ...options, ...command.optsWithGlobals() });
    });

  program
    .command('approve <run> <step>')
    .description('answer a gate that waits, from any terminal; then resume the run')
    .option('--choice <choice>', 'one of its choices; asked for at a terminal')
    .option('--comment <text>', 'kept with the answer', '')
    .option('--json', 'as JSON')
    .action(async (run: string, step: string, _options, command: Command) => {
      const { approveCommand } = await import('./approve.js');
      await approveCommand(run, step, command.optsWithGlobals());
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
    .command('init [name]')
    .description('write a small working pipeline into skills/<name>/: a prompt, a schema, a test')
    .option('--json', 'as JSON')
    .action(async (name: string | undefined, _options, command: Command) => {
      const { initCommand } = await import('./init.js');
      initCommand(name, command.optsWithGlobals());
    });

  program
    .command('explain <run> <step>')
    .description('why a step of a run ran, ran again, was reused or was skipped; of an id, all its items and rounds')
    .option('--json', 'as JSON')
    .action(async (run: string, step: string, _options, command: Command) => {
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
    .command('test [targets...]')
    .description('run the tests of skills without a token; of all skills of the project without a target')
    .addOption(new Option('--reporter <reporter>', 'how it is reported').choices(['text', 'junit']).default('text'))
    .option('--filter <text>', 'only tests whose name or file holds this text')
    .option('--keep', 'keep the run folders')
    .action(async (targets: string[], _options, command: Command) => {
      const { testCommand } = await import('./test.js');
      await testCommand(targets, command.optsWithGlobals());
    });

  program
    .command('runs [skill]')
    .description('the runs there are, newest first')
    .option('--json', 'as JSON')
    .action(async (skill: string | undefined, _options, command: Command) => {
      const { runsCommand } = await import('./runs.js');
      await runsCommand(skill, command.optsWithGlobals());
    });

  for (const command of program.commands) command.exitOverride().configureOutput({ writeErr: (text) => say(text) });
  return program;
}

function collect(value: string, earlier: readonly string[]): string[] {
  return [...earlier, value];
}

function positive(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value > 0) return value;
  throw new Fault('input.invalid', `"${text}" is not a whole number above 0`);
}
