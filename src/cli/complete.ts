/** What could stand where a person presses the tab key: told from the commands as they are defined. */
import type { Environment } from '../providers/services.js';
import { runsHere, skillsHere, stepsOf } from './complete-names.js';

/** Of commander's commands, what is looked at. */
export interface CommandShape {
  name(): string;
  readonly registeredArguments: readonly {
    name(): string;
    readonly variadic: boolean;
    readonly argChoices?: readonly string[] | undefined;
  }[];
  createHelp(): {
    visibleCommands(command: CommandShape): CommandShape[];
    visibleOptions(command: CommandShape): OptionShape[];
  };
  description(): string;
  readonly commands: readonly CommandShape[];
  readonly parent: CommandShape | null;
}

export interface OptionShape {
  readonly long?: string | undefined;
  readonly short?: string | undefined;
  readonly description: string;
  readonly flags: string;
  /** It needs a value, or may have one. */
  readonly required: boolean;
  readonly optional: boolean;
  readonly argChoices?: readonly string[] | undefined;
}

export interface Candidates {
  readonly names: readonly { readonly name: string; readonly about?: string }[];
  /** Files can stand there as well. */
  readonly files: boolean;
}

export interface Typed {
  /** Behind the program's name; the last one is what is being typed, perhaps ''. */
  readonly words: readonly string[];
  readonly cwd: string;
  readonly env: Environment;
}

const NOTHING: Candidates = { names: [], files: false };

export async function candidates(program: CommandShape, { words, cwd, env }: Typed): Promise<Candidates> {
  const before = words.slice(0, -1);
  const last = words.at(-1) ?? '';
  // Bash takes `--format=json` apart.
  const current = last === '=' && before.at(-1)?.startsWith('--') ? '' : last;
  const place = placeAfter(program, before);
  const around: Around = { ...place, cwd, env };
  if (place.option) return matching(await valuesOf(place.option, around), current, '');
  const [, flag, value] = /^(--[^=]+)=(.*)$/s.exec(current) ?? [];
  if (flag !== undefined && !place.onlyValues) {
    const option = optionsOf(place.command).find(({ long }) => long === flag);
    return option ? matching(await valuesOf(option, around), value ?? '', `${flag}=`) : NOTHING;
  }
  if (current.startsWith('-') && !place.onlyValues) {
    const names = optionsOf(place.command).flatMap(({ long, short, description }) => {
      return [long, current.startsWith('--') ? undefined : short].flatMap((name) =>
        name ? [{ name, about: description }] : [],
      );
    });
    return matching({ names, files: false }, current, '');
  }
  const inner = place.given.length === 0 ? place.command.createHelp().visibleCommands(place.command) : [];
  const commands = inner.map((command) => ({ name: command.name(), about: command.description() }));
  const values = await argumentsOf(around);
  return matching({ names: [...commands, ...values.names], files: values.files }, current, '');
}

interface Place {
  readonly command: CommandShape;
  /** Arguments of the command so far. */
  readonly given: readonly string[];
  /** Of `--skills-dir`. */
  readonly skillsDirs: readonly string[];
  /** Its value is being typed. */
  readonly option: OptionShape | undefined;
  /** Behind `--`. */
  readonly onlyValues: boolean;
}

interface Around extends Place {
  readonly cwd: string;
  readonly env: Environment;
}

function placeAfter(program: CommandShape, words: readonly string[]): Place {
  let command = program;
  let option: OptionShape | undefined;
  let onlyValues = false;
  const given: string[] = [];
  const skillsDirs: string[] = [];
  for (const word of words.filter((one, at) => one !== '=' || !words[at - 1]?.startsWith('--'))) {
    if (option) {
      if (option.long === '--skills-dir') skillsDirs.push(word);
      option = undefined;
      continue;
    }
    if (!onlyValues && word === '--') onlyValues = true;
    else if (!onlyValues && word.startsWith('-') && word.length > 1) option = optionAwaiting(command, word);
    else {
      const inner = given.length === 0 ? command.commands.find((one) => one.name() === word) : undefined;
      if (inner) command = inner;
      else given.push(word);
    }
  }
  return { command, given, skillsDirs, option, onlyValues };
}

function optionAwaiting(command: CommandShape, word: string): OptionShape | undefined {
  return optionsOf(command).find(({ long, short, required }) => required && (word === long || word === short));
}

/** With those of the commands around it. */
function optionsOf(command: CommandShape): OptionShape[] {
  const own = command.createHelp().visibleOptions(command);
  return command.parent
    ? [...own, ...optionsOf(command.parent).filter(({ long }) => !own.some((one) => one.long === long))]
    : own;
}

async function valuesOf({ argChoices, flags }: OptionShape, around: Around): Promise<Candidates> {
  if (argChoices) return { names: argChoices.map((name) => ({ name })), files: false };
  const [, meaning = ''] = /[<[]([^>\]]+)[>\]]/.exec(flags) ?? [];
  return namesFor(meaning, around);
}

async function argumentsOf(around: Around): Promise<Candidates> {
  const { command, given } = around;
  const all = command.registeredArguments;
  const last = all.at(-1);
  const argument = all[given.length] ?? (last?.variadic ? last : undefined);
  if (!argument) return NOTHING;
  if (argument.argChoices) return { names: argument.argChoices.map((name) => ({ name })), files: false };
  return namesFor(argument.name(), around);
}

/** @param meaning the name of the argument, or of the option's value */
async function namesFor(meaning: string, { cwd, env, skillsDirs, given }: Around): Promise<Candidates> {
  const named = (names: readonly string[], files = false): Candidates => ({
    names: names.map((name) => ({ name })),
    files,
  });
  const skills = () => skillsHere(cwd, env, skillsDirs);
  switch (meaning) {
    case 'run':
    case 'runA':
    case 'runB':
      return named(runsHere(cwd));
    case 'step':
      return named(await stepsOf(given[0] ?? '', cwd));
    case 'skill':
      return named(skills());
    case 'target':
    case 'targets':
      return named(skills(), true);
    case 'what':
      return named([...skills(), ...runsHere(cwd)], true);
    case 'dir|run':
      return named(runsHere(cwd), true);
    case 'model':
      return named(['sketch', 'default'], true);
    case 'dir':
    case 'file':
    case 'source':
      return named([], true);
    default:
      return NOTHING;
  }
}

function matching({ names, files }: Candidates, beginning: string, prefix: string): Candidates {
  const fitting = names.filter(({ name }) => name.startsWith(beginning));
  return { names: fitting.map((one) => ({ ...one, name: `${prefix}${one.name}` })), files };
}
