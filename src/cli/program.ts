/** The command line as a whole: its help, its global options, what it says of a fault; each command's work is in a file of its own. */
import { Command, CommanderError, Help, type Option } from 'commander';
import { FAULTS, Fault, type FaultData, toFault } from '../core/faults.js';
import { plainText } from '../core/plain-text.js';
import { version } from '../version.js';
import { addAuthorCommands } from './commands-author.js';
import { addChatCommand } from './commands-chat.js';
import { addLookCommands } from './commands-look.js';
import { addRunCommands } from './commands-run.js';
import { addRunsCommands } from './commands-runs.js';
import { addSkillsCommands } from './commands-skills.js';
import { outliveOutput, printJson, printResult, say } from './output.js';

const EXAMPLES = `Examples:
  pipeline run idea-spark "sparse attention for long documents"   run a skill over a query
  pipeline run ./my/pipeline.yaml --input year=2024 "a query"     run a file
  pipeline run idea-spark "…" --resume                            go on after a crash, reuse what is unchanged
  pipeline check idea-spark                                       find mistakes before anything runs
  pipeline list                                                   the skills there are
  pipeline runs                                                   the runs there are
  pipeline show idea-spark/latest audit                           what a step did
  pipeline chat                                                   talk with a model that has all of it
`;

export async function main(argv: readonly string[]): Promise<void> {
  outliveOutput();
  const program = build();
  try {
    if (argv[0] === '__complete') {
      const { completeCommand } = await import('./completion.js');
      return await completeCommand(program, argv.slice(1));
    }
    program.hook('preAction', refuseLostFolder);
    await program.parseAsync(argv, { from: 'user' });
  } catch (error) {
    process.exitCode = exitOf(error, formAsked(argv));
  }
}

/** Whatever a command does, it begins at the folder that it was typed in. */
function refuseLostFolder(): void {
  try {
    process.cwd();
  } catch {
    const hint = 'Go to a folder that is there (cd), then type it again.';
    throw new Fault('input.invalid', 'The folder that this was typed in is gone: it was removed or moved.', { hint });
  }
}

/** Says what was thrown; with --json also as the one document on stdout, with --events as its one line. */
function exitOf(error: unknown, form: 'text' | 'json' | 'ndjson'): number {
  if (error instanceof CommanderError && error.exitCode === 0) return 0;
  const fault = faultOf(error);
  const { exit } = FAULTS[fault.code];
  if (!(error instanceof CommanderError)) say(faultText(fault));
  const document = { status: 'error', exit, fault };
  if (form === 'json') printJson(document);
  if (form === 'ndjson') printResult(JSON.stringify(document));
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
function formAsked(argv: readonly string[]): 'text' | 'json' | 'ndjson' {
  const end = argv.indexOf('--');
  const options = end < 0 ? argv : argv.slice(0, end);
  const isGiven = (name: string, value: string) =>
    options.includes(`${name}=${value}`) || options.some((one, at) => one === name && options[at + 1] === value);
  if (options.includes('--json') || isGiven('--format', 'json')) return 'json';
  return isGiven('--events', 'ndjson') ? 'ndjson' : 'text';
}

export function build(): Command {
  const program = new Command('pipeline')
    .description('Runs skills as pipelines: checked before they cost anything, resumable, explainable.')
    .version(version)
    .addHelpText('before', EXAMPLES)
    .option('--skills-dir <dir>', 'another folder of skills, searched first (repeatable)', collect, [])
    .configureHelp({ optionDescription: describe })
    .showSuggestionAfterError()
    .exitOverride()
    .configureOutput({ writeErr: (text) => say(text) });

  addRunCommands(program);
  addChatCommand(program);
  addAuthorCommands(program);
  addLookCommands(program);
  addRunsCommands(program);
  addSkillsCommands(program);
  for (const command of program.commands) command.exitOverride().configureOutput({ writeErr: (text) => say(text) });
  return program;
}

/** A list that is empty unless given is no default worth a word. */
function describe(this: Help, option: Option): string {
  return Array.isArray(option.defaultValue) ? option.description : Help.prototype.optionDescription.call(this, option);
}

function collect(value: string, earlier: readonly string[]): string[] {
  return [...earlier, value];
}
