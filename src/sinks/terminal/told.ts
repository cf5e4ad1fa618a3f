/** What is said of a run for good, one thing a line, before it is laid out for a screen. */
import type { StepPath } from '../../core/outcome.js';
import { counted, duration, tokenCount, usd } from '../../core/words.js';
import type { Tone } from './line.js';

export interface Told {
  readonly mark: string;
  readonly tone: Tone;
  /** Undefined: of the run as a whole. */
  readonly path: StepPath | undefined;
  readonly figures: Figures;
  /** Only where there is a person, and nothing else stands there. */
  readonly title?: string;
  /** How a step settled, what befell it, what it does in passing, or the words of its model. */
  readonly form: 'settled' | 'note' | 'aside' | 'words';
  /** What stands between the name and the text. */
  readonly joint: '  ' | ': ' | ' ';
  /** '' for nothing to say. */
  readonly text: string;
  readonly ms?: number;
  /** Of a loop or a group: what the steps in it have used. Only where there is a person. */
  readonly within?: Figures;
  /** Of a round: the steps in it, which are told below this line, stand in this path. */
  readonly opens?: StepPath;
  /** Further steps of which the same is said. */
  readonly also?: readonly StepPath[];
  /** Only where there is a person: elsewhere the lines of the steps say it. */
  readonly forPerson?: true;
}

export interface Figures {
  /** What the step turned out to be about. */
  readonly subject: string;
  readonly rounds: number;
  readonly tools: number;
  readonly tokens: number;
  /** US dollars; what has no known price is not in it. */
  readonly usd: number;
  /** Why it runs although something of it is known; '' for the first time. */
  readonly because: string;
}

export const NO_FIGURES: Figures = { subject: '', rounds: 0, tools: 0, tokens: 0, usd: 0, because: '' };

/** As a file or a pipe gets it: documented, the same for every width. */
export function plainLine({ mark, path, figures, joint, text, ms }: Told): string {
  if (path === undefined) return `${mark} ${text}`;
  const end = ms === undefined ? '' : `  ${duration(ms)}`;
  const said = text === '' ? '' : `${joint}${text}`;
  return `${'  '.repeat(depthOf(path))}${mark} ${nameOf(path)}${figuresText(figures)}${said}${end}`;
}

function figuresText({ subject, rounds, tools, tokens, usd: dollars, because }: Figures): string {
  const parts = [
    ...(subject === '' ? [] : [subject]),
    ...(rounds > 0 ? [counted(rounds, 'round')] : []),
    ...(tools > 0 ? [counted(tools, 'tool call')] : []),
    ...(tokens > 0 ? [tokenCount(tokens)] : []),
    ...(dollars > 0 ? [usd(dollars)] : []),
    ...(because === '' ? [] : [`(${because})`]),
  ];
  return parts.map((part) => `  ${part}`).join('');
}

/** Of a message about an answer that was refused: without that answer's own problems, which are said elsewhere. */
export function briefMessage(message: string): string {
  return message.replace(/[;:] the last (?:one|error): [\s\S]*$/, '');
}

/** How many steps stand around it, itself among them. */
export function depthOf(path: StepPath): number {
  return path.split('/').filter((part) => !isNumber(part)).length;
}

/** Its id, with the numbers of its item or round. */
export function nameOf(path: StepPath): string {
  const parts = path.split('/');
  const at = parts.findLastIndex((part) => !isNumber(part));
  return parts.slice(at).join('/');
}

/** '' for a step that stands in no other. */
export function parentOf(path: StepPath): StepPath {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

function isNumber(part: string): boolean {
  return /^\d+$/.test(part);
}
