/** The words around gates: what they offer, as a config says it, and how those that wait are answered. */
import { isObject, type Json } from './json.js';
import type { StepPath } from './outcome.js';
import { shellWord } from './shell-word.js';

export interface GateOffer {
  readonly choices: readonly string[];
  /** Those that end the run as `refused`. */
  readonly reject: readonly string[];
}

const CHOICES = ['approve', 'reject'];

export function gateOffer(config: Json): GateOffer {
  const { choices, reject } = isObject(config) ? config : {};
  const offered = Array.isArray(choices) ? textsOf(choices) : CHOICES;
  const ending = Array.isArray(reject) ? textsOf(reject) : ['reject'].filter((choice) => offered.includes(choice));
  return { choices: offered, reject: ending };
}

/** A gate that waits. */
export interface AskedGate {
  readonly path: StepPath;
  /** What the person is asked and shown. */
  readonly ask: string;
  readonly choices: readonly string[];
}

/** From the `ask` of a step that waits; undefined if it is no gate. */
export function askedGate(ask: Json): AskedGate | undefined {
  if (!isObject(ask) || typeof ask.gate !== 'string' || !Array.isArray(ask.choices)) return undefined;
  const { gate: path, question } = ask;
  return { path, ask: typeof question === 'string' ? question : '', choices: textsOf(ask.choices) };
}

/** What was decided at a gate, by a person or as the author said for when nobody is there. */
export interface DecidedGate {
  readonly choice: string;
  readonly comment: string;
}

const DECIDED = ['at', 'by', 'choice', 'comment'];

/** From the output of a step; undefined if it is not that of a gate, which no event says. */
export function decidedGate(output: Json): DecidedGate | undefined {
  if (!isObject(output) || Object.keys(output).sort().join() !== DECIDED.join()) return undefined;
  const { choice, comment } = output;
  return typeof choice === 'string' && typeof comment === 'string' ? { choice, comment } : undefined;
}

/** What a person types to answer it. */
export function approveLine(run: string, { path, choices }: Pick<AskedGate, 'path' | 'choices'>): string {
  return `pipeline approve ${[run, path, '--choice', choices[0] ?? ''].map(shellWord).join(' ')}`;
}

function textsOf(values: readonly Json[]): string[] {
  return values.filter((value) => typeof value === 'string');
}
