/** A cassette on disk: a folder with what the models of a run were asked and what they said, one file a step. */
import fs from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../core/faults.js';
import { canonicalJson, isObject, type Json, type JsonObject } from '../core/json.js';
import type { StepPath } from '../core/outcome.js';
import { type CanonicalReply, type CanonicalRequest, messageOf } from './canonical-request.js';
import { isExchange, isRecordedModel } from './cassette-shape.js';
import { notRegular } from './regular-file.js';

export interface Exchange {
  readonly request: CanonicalRequest;
  readonly reply: CanonicalReply;
}

/** What stood behind a role, as it was picked: a replayed run has the same keys, and needs no key of a provider. */
export interface RecordedModel {
  readonly label: string;
  /** The id at the provider. */
  readonly model: string;
  readonly host: string;
  readonly parameters: JsonObject;
  /** No language model: its texts are placeholders. */
  readonly placeholder?: true;
  /** A replay shortens its conversations where the recording did. */
  readonly contextTokens?: number;
}

export type RecordedModels = Readonly<Record<string, RecordedModel>>;

const HEAD = 'cassette.json';
const FORMAT = 1;

/** The file that says which models were picked. */
export function headOf(dir: string): string {
  return join(dir, HEAD);
}

/** Whether the folder holds a cassette. */
export function isCassette(dir: string): boolean {
  return fs.existsSync(headOf(dir));
}

export function readModels(dir: string): RecordedModels {
  const file = headOf(dir);
  const value = jsonOf(textIn(file));
  const models = isObject(value) && value.format === FORMAT ? value.models : undefined;
  if (!isObject(models) || !Object.values(models).every(isRecordedModel)) {
    throw new Fault('input.replay', `${file} is no head of a cassette that this version can read`, RECORD_AGAIN);
  }
  return models as unknown as RecordedModels;
}

export function writeModels(dir: string, models: RecordedModels): void {
  const sorted = Object.fromEntries(Object.entries(models).sort(([a], [b]) => (a < b ? -1 : 1)));
  fs.writeFileSync(headOf(dir), `${JSON.stringify({ format: FORMAT, models: sorted }, null, 2)}\n`);
}

const RECORD_AGAIN = { hint: 'Record it again: pipeline run … --record <dir>.' };

/** A folder with something else in it is no place for a recording. */
export function refuseForeign(dir: string): void {
  if (!fs.existsSync(dir) || isCassette(dir)) return;
  if (fs.statSync(dir).isDirectory() && fs.readdirSync(dir).length === 0) return;
  throw new Fault('input.invalid', `${dir} holds something else than a cassette`, {
    hint: 'Name a new folder for --record.',
  });
}

/** An empty folder for a new recording. */
export function emptyCassette(dir: string): void {
  refuseForeign(dir);
  fs.mkdirSync(dir, { recursive: true });
  for (const name of fs.readdirSync(dir)) if (name === HEAD || name.endsWith('.ndjson')) fs.rmSync(join(dir, name));
}

/** `rounds/1/audit` → `rounds.1.audit.ndjson`: ids hold no dot, so no two paths share a file. */
export function fileOf(path: StepPath): string {
  return `${path.split('/').map(encodeURIComponent).join('.') || '_'}.ndjson`;
}

/** Undefined for a name that no recording gives a file. */
function pathOf(file: string): StepPath | undefined {
  try {
    return file.slice(0, -'.ndjson'.length).split('.').map(decodeURIComponent).join('/');
  } catch {
    return undefined;
  }
}

/** The steps of a cassette. */
export function recordedSteps(dir: string): StepPath[] {
  return fs
    .readdirSync(dir)
    .filter((name) => name.endsWith('.ndjson'))
    .flatMap((name) => pathOf(name) ?? []);
}

/** What is whole of a step's file, in the order of recording. */
export function readExchanges(dir: string, path: StepPath): Exchange[] {
  const file = join(dir, fileOf(path));
  if (!fs.existsSync(file)) return [];
  const whole = textIn(file).split('\n').slice(0, -1);
  const exchanges: Exchange[] = [];
  for (const [at, text] of whole.entries()) {
    const line = jsonOf(text);
    const exchange = isLine(line) ? exchangeOf(line, exchanges.at(-1)) : undefined;
    if (!exchange || !isExchange(exchange)) {
      throw new Fault('input.replay', `${file}:${at + 1} is no entry of a cassette`, RECORD_AGAIN);
    }
    exchanges.push(exchange);
  }
  return exchanges;
}

export function writeExchanges(dir: string, path: StepPath, exchanges: readonly Exchange[]): void {
  const lines = exchanges.map((exchange, at) => textOf(exchange, exchanges[at - 1]));
  fs.writeFileSync(join(dir, fileOf(path)), lines.join(''));
}

/** @param before the last entry of the file */
export function appendExchange(dir: string, path: StepPath, exchange: Exchange, before: Exchange | undefined): void {
  fs.appendFileSync(join(dir, fileOf(path)), textOf(exchange, before));
}

/**
 * A line names only what differs from the entry before it. `added` are the messages behind what was asked and answered there;
 * without it `messages` are all there are. `null` stands for what is no longer there.
 */
interface Line {
  readonly request: JsonObject;
  readonly reply: CanonicalReply;
}

const FIELDS = ['model', 'parameters', 'toolChoice', 'system', 'tools', 'format'] as const;

function textOf({ request, reply }: Exchange, before: Exchange | undefined): string {
  const differing = FIELDS.filter((name) => !isSame(request[name] ?? null, before?.request[name] ?? null));
  const known = before ? [...before.request.messages, messageOf(before.reply, before.request.messages)] : [];
  const goesOn = known.length > 0 && isSame(request.messages.slice(0, known.length), known);
  const line: Line = {
    request: {
      ...Object.fromEntries(differing.map((name) => [name, request[name] ?? null])),
      ...(goesOn ? { added: request.messages.slice(known.length) } : { messages: request.messages }),
    },
    reply,
  };
  return `${JSON.stringify(line)}\n`;
}

function exchangeOf({ request, reply }: Line, before: Exchange | undefined): Exchange {
  const { added, ...given } = request;
  const known = before ? [...before.request.messages, messageOf(before.reply, before.request.messages)] : [];
  const messages = Array.isArray(added) ? { messages: [...known, ...(added as readonly JsonObject[])] } : {};
  const all = Object.entries({ ...before?.request, ...given, ...messages }).filter(([, value]) => value !== null);
  return { request: Object.fromEntries(all) as CanonicalRequest, reply };
}

function isLine(value: Json | undefined): value is Json & Line {
  return isObject(value) && isObject(value.request) && isObject(value.reply);
}

function textIn(file: string): string {
  const special = notRegular(file);
  if (special) throw new Fault('input.replay', special, RECORD_AGAIN);
  return fs.readFileSync(file, 'utf8');
}

export function isSame(a: Json, b: Json): boolean {
  return canonicalJson(a) === canonicalJson(b);
}

function jsonOf(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
