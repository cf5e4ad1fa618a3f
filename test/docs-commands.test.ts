/** Every command line of every page is one that the program knows: its name, its options, the values of these. */
import { type Command, CommanderError } from 'commander';
import { describe, expect, it } from 'vitest';
import { build } from '../src/cli/program.js';
import { commandsIn, type Named } from './support/page-commands.js';
import { FOLLOWED, fencesOf, PAGES, readPage } from './support/pages.js';

/** The program, with commands that do nothing. */
function parser(): Command {
  const program = build();
  const quiet = (command: Command): void => {
    command.exitOverride().configureOutput({ writeErr: () => undefined, writeOut: () => undefined });
    // Such as `runs`, which acts without one of its commands.
    const acts = command.commands.length === 0 || Reflect.get(command, '_actionHandler') !== null;
    if (acts) command.action(() => undefined);
    for (const one of command.commands) quiet(one);
  };
  quiet(program);
  return program;
}

/** What may be missing at the end of a line that only names a command. */
const UNFINISHED = ['commander.missingArgument', 'commander.optionMissingArgument', 'commander.help'];

function problem({ args, laterOptions }: Named): string | undefined {
  const program = parser();
  const unknown = laterOptions.find((option) => !hasOption(commandOf(program, args), option));
  if (unknown !== undefined) return `unknown option ${unknown}`;
  try {
    program.parse(args, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) return String(error);
    return error.exitCode === 0 || UNFINISHED.includes(error.code) ? undefined : error.message;
  }
  return undefined;
}

/** The innermost command that the words name. */
function commandOf(program: Command, args: readonly string[]): Command {
  const [name = '', ...rest] = args;
  const found = program.commands.find((one) => one.name() === name || one.aliases().includes(name));
  return found === undefined ? program : commandOf(found, rest);
}

function hasOption(command: Command, option: string): boolean {
  if (option === '--help' || option === '-h') return true;
  const own = command.options.some(({ long, short }) => long === option || short === option);
  return own || (command.parent !== null && hasOption(command.parent, option));
}

const problemsIn = (page: string) =>
  commandsIn(page).flatMap((named) => {
    const said = problem(named);
    return said === undefined ? [] : [`line ${named.line}: ${named.text}: ${said}`];
  });

describe('the command lines of a page', () => {
  it.each(PAGES)('%s names only commands and options that there are', (page) => {
    expect(problemsIn(readPage(page))).toEqual([]);
  });

  it('are found where pages have them', () => {
    expect(PAGES.flatMap((page) => commandsIn(readPage(page))).length).toBeGreaterThan(250);
    const page = [
      'Type `pipeline list`, or `npx pipeline runs rm <run>`.',
      '```sh',
      'npm ci && npx pipeline run a "b c" --json',
      'A=1 npx pipeline check | head -1',
      '```',
      '```',
      '$ pipeline chat',
      'pipeline chat  model: m',
      '  go on  pipeline resume a/b',
      '```',
      '`pipeline skills list\\|show x`',
    ].join('\n');
    expect(commandsIn(page).map(({ args }) => args.join(' '))).toEqual([
      'run a b c --json',
      'check',
      'chat',
      'resume a/b',
      'list',
      'runs rm',
      'skills list x',
      'skills show x',
    ]);
  });

  it.each([
    ['`pipeline run essay --colour`', "unknown option '--colour'"],
    ['`pipeline run <skill> --colour`', 'unknown option --colour'],
    ['`npx pipeline chekc`', "unknown command 'chekc'"],
    ['```sh\npipeline check --format xml\n```', "argument 'xml' is invalid"],
    ['```sh\nnpx pipeline skills ad owner/repo\n```', "unknown command 'ad'"],
    ['```\n  go on  pipeline resume a --agian\n```', "unknown option '--agian'"],
  ])('%s is seen to be wrong', (page, said) => {
    expect(problemsIn(page).join('\n')).toContain(said);
  });
});

/** Of this project's scripts, and of scripts that authors write. */
const OF_OTHERS = ['--dir', '--large', '--mutate', '--only', '--option', '--rows', '--sample', '--seed', '--types'];

it.each(PAGES.filter((page) => page !== 'README.zh.md'))('%s names no option by itself that no command has', (page) => {
  const all = (command: Command): string[] => [
    ...command.options.flatMap(({ long, short }) => [long, short].filter((one) => one != null)),
    ...command.commands.flatMap(all),
  ];
  const known = new Set([...all(parser()), ...OF_OTHERS, '--help']);
  const named = [...readPage(page).matchAll(/`(--[a-z][\w-]*)/g)].map(([, option = '']) => option);
  expect(named.filter((option) => !known.has(option))).toEqual([]);
});

describe('what a page has its reader type', () => {
  it('is followed by a test: no other page has commands marked as such', () => {
    const others = PAGES.filter((page) => !FOLLOWED.includes(page) && page !== 'README.zh.md');
    expect(others.filter((page) => fencesOf(readPage(page)).some(({ language }) => language === 'sh'))).toEqual([]);
  });

  it('needs a key, a server or a network where it is not run: these few', () => {
    const unrun = FOLLOWED.flatMap((page) =>
      fencesOf(readPage(page)).flatMap(({ language, file, text }) =>
        language === 'bash' && file === '' ? [`${page}: ${text.split(' ', 2).join(' ')}`] : [],
      ),
    );
    expect(unrun).toEqual(['README.md: export OPENAI_API_KEY=…', 'docs/how-to/local-models.md: ollama pull']);
  });
});
