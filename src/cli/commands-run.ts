/** The commands that start work, go on with it, or end it: run, resume, fork, approve, stop. */
import { type Command, Option } from 'commander';
import { Fault } from '../core/faults.js';

export function addRunCommands(program: Command): void {
  withAnswers(withRunOptions(program.command('run <target> [query...]')))
    .description('run a skill, or a pipeline file, over a query')
    .option('-i, --input <name=value>', 'an input of the pipeline (repeatable)', collect, [])
    .option('--set <path=value>', 'replaces a value of the file: steps.audit.agent.model=… (repeatable)', collect, [])
    .option('--resume', 'go on with the newest run of the same query and inputs')
    .option('--dry-run', 'say what it would do, render the prompts that are known, start nothing')
    .option('--plan', 'say what it would do, as --dry-run, then ask whether to start')
    .action(async (target: string, query: string[], options, command: Command) => {
      if (options.dryRun === true) {
        const { dryRunCommand } = await import('./dry-run.js');
        return dryRunCommand(target, query.join(' '), { ...options, ...command.optsWithGlobals() });
      }
      if (options.plan === true) {
        const { isAgreed } = await import('./run-plan.js');
        if (!(await isAgreed(target, query.join(' '), { ...options, ...command.optsWithGlobals() }))) return;
      }
      const { runCommand } = await import('./run.js');
      await runCommand(target, query.join(' '), { ...options, ...command.optsWithGlobals() });
    });

  withAnswers(withRunOptions(program.command('resume <run>')))
    .description('go on with a run: reuse what is unchanged, do the rest')
    .option('--from <step>', 'do this step again, whatever is known of it')
    .option('--step <step>', 'this failed agent goes on in its conversation, instead of beginning anew')
    .option('--rounds <+n>', 'with --step, or for every failed agent: so many rounds more than it has used', moreRounds)
    .action(async (run: string, options, command: Command) => {
      const { resumeCommand } = await import('./resume.js');
      await resumeCommand(run, { ...options, ...command.optsWithGlobals() });
    });

  withRunOptions(program.command('fork <run>'))
    .description('a new run that begins with what another one had finished')
    .option('--from <step>', 'do this step again, whatever is known of it')
    .option('--set <path=value>', 'replaces a value of the file: steps.audit.agent.model=… (repeatable)', collect, [])
    .option('-i, --input <name=value>', 'another value of an input (repeatable)', collect, [])
    .action(async (run: string, options, command: Command) => {
      const { forkCommand } = await import('./resume.js');
      await forkCommand(run, { ...options, ...command.optsWithGlobals() });
    });

  program
    .command('approve <run> <step>')
    .description('answer a gate that waits, from any terminal; then resume the run')
    .option('--choice <choice>', 'one of its choices; asked for at a terminal')
    .option('--comment <text>', 'kept with the answer; asked for at a terminal')
    .option('--json', 'as JSON')
    .action(async (run: string, step: string, _options, command: Command) => {
      const { approveCommand } = await import('./approve.js');
      await approveCommand(run, step, command.optsWithGlobals());
    });

  program
    .command('stop <run>')
    .description(
      'end the process that works on a run, from any terminal, as Ctrl-C does; a program that performs the run by the library ends as a whole',
    )
    .option('--now', 'do not wait for it: ask twice, then kill, and end what it has left')
    .option('--json', 'as JSON')
    .action(async (run: string, _options, command: Command) => {
      const { stopCommand } = await import('./stop.js');
      await stopCommand(run, command.optsWithGlobals());
    });

  program
    .command('ui [folder...]')
    .description(
      'the runs of this project, or of those in these folders, in a browser: watch, start, answer, stop, resume',
    )
    .option('--port <n>', 'any that is free unless given', portNumber, 0)
    .option('--open', 'open the browser; else the address is only printed')
    .option('--no-open', 'only print the address')
    .option('--no-detect', 'runs that are started there do not look for a model server on this machine')
    .option('--json', 'the address as JSON')
    .action(async (folders: string[], options, command: Command) => {
      const { uiCommand } = await import('./ui.js');
      await uiCommand(folders, { ...options, ...command.optsWithGlobals() });
    });
}

/** What a run, a resume and a fork have in common. */
function withRunOptions(command: Command): Command {
  return command
    .option('-m, --model <model>', 'replaces every model: provider/model-id, sketch, script:<file>')
    .option('--record <dir>', 'write what the models are asked and say into this folder')
    .option('--replay <dir|run>', 'answer from a recording, or from a run: no model is asked, no key is needed')
    .option('--limit <name=value>', 'tokens=<n>, usd=<n> or time=<duration> (repeatable)', collect, [])
    .option('--max-parallel <n>', 'steps that run at once', positive)
    .option('--no-detect', 'do not look for a model server on this machine')
    .addOption(
      new Option(
        '--sandbox <auto|off>',
        'off: commands that a model writes have all your rights; else as pipeline.config.yaml says',
      ).choices(['auto', 'off']),
    )
    .option('--json', 'one JSON document on stdout, also on failure')
    .addOption(
      new Option('--events <format>', 'each record of the run on stdout as it comes, instead of the result')
        .choices(['ndjson'])
        .conflicts('json'),
    )
    .option('--otel', 'send spans to an OpenTelemetry collector; so does OTEL_EXPORTER_OTLP_ENDPOINT')
    .option('-q, --quiet', 'no progress; what went wrong is still said')
    .addOption(new Option('--verbose', 'also what the models say, and each call of a tool').conflicts('quiet'));
}

/** The two answers to an interrupted `effect: once` step. */
function withAnswers(command: Command): Command {
  return command
    .option('--retry-unknown', 'on resume: repeat interrupted steps that have `effect: once`')
    .option(
      '--assume-done [step]',
      'on resume: take this interrupted step that has `effect: once`, or all of them, as done',
    )
    .option('--output <file>', 'with --assume-done: what it gave; JSON if it declares a schema, else text');
}

function collect(value: string, earlier: readonly string[]): string[] {
  return [...earlier, value];
}

function portNumber(text: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value <= 65_535) return value;
  throw new Fault('input.invalid', `"${text}" is not a port: a number from 0 to 65535`);
}

function moreRounds(text: string): number {
  return positive(text.replace(/^\+/, ''));
}

function positive(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value > 0) return value;
  throw new Fault('input.invalid', `"${text}" is not a whole number above 0`);
}
