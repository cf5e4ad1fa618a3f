/** Reads the pipeline.yaml of a skill that its scripts/run.* drives: what the driver may be told. */
import path from 'node:path';
import type { Template } from '../core/expression.js';
import type { JsonObject } from '../core/json.js';
import { unsafeRegex } from '../core/pattern.js';
import type { Limits, Permissions } from '../core/plan.js';
import { NO_SIGNALS, type TerminalSignals } from '../core/terminal-signals.js';
import { readLimits, readPermissions } from './allowance.js';
import type { PipelineReading } from './draft.js';
import { type Fields, readFields } from './fields.js';
import { readInputs } from './inputs.js';
import { DRIVER_KEYS, TOP_ALIASES, TOP_KEYS } from './keys.js';
import { compileNode } from './templates.js';
import { readBoolean, readLabel, readNumber, readString, readTexts } from './values.js';
import type { YamlNode, YamlPair } from './yaml-tree.js';

export interface DriverFile {
  readonly name?: string;
  readonly description?: string;
  readonly inputs: JsonObject;
  readonly limits: Partial<Limits>;
  readonly permissions: Permissions;
  readonly signals: TerminalSignals;
  /** Arguments of the script, where they are set. */
  readonly next?: readonly Template[];
  /** The literal that stands for queries in RUN; '' without injection. */
  readonly placeholder: string;
  readonly ood: boolean;
  readonly maxSteps: number;
  /** File beside the run folders that takes the lines of pipeline.log. */
  readonly logFile?: string;
  /** Folder for the script's files, below the run folder. */
  readonly below: string;
}

export const MAX_ROUNDS = 10_000;

const KEYS = [
  ...TOP_KEYS.filter((key) => !['steps', 'result', 'on_failure', 'accept_partial'].includes(key)),
  ...DRIVER_KEYS,
];

export function readDriverFile(root: YamlNode, reading: PipelineReading): DriverFile | undefined {
  const aliases = Object.fromEntries(Object.entries(TOP_ALIASES).filter(([key]) => !DRIVER_KEYS.includes(key)));
  const fields = readFields(root, { what: 'the file of a next-loop skill', keys: KEYS, aliases }, reading);
  if (!fields) return undefined;
  const name = readLabel(fields.get('name'), reading);
  const description = readString(fields.get('description'), reading);
  const logFile = readLogFile(fields.get('log_file'), reading);
  const next = readArguments(fields.get('next'), reading);
  return {
    ...(name === undefined ? {} : { name }),
    ...(description === undefined ? {} : { description }),
    inputs: readInputs(fields.get('inputs'), reading),
    limits: readLimits(fields.get('limits'), reading),
    permissions: readPermissions(fields.get('permissions'), reading),
    signals: readSignals(fields.get('terminal_signals'), reading),
    ...(next ? { next } : {}),
    placeholder: readPlaceholder(fields, reading),
    ood: readBoolean(fields.get('ood_detection'), reading) ?? false,
    maxSteps: readNumber(fields.get('max_steps'), reading, { min: 1, max: MAX_ROUNDS, integer: true }) ?? MAX_ROUNDS,
    ...(logFile === undefined ? {} : { logFile }),
    below: readBelow(fields.get('run_dir_template'), reading),
  };
}

function readArguments(pair: YamlPair | undefined, reading: PipelineReading): readonly Template[] | undefined {
  const items = readTexts(pair, reading, 'a list of arguments');
  return items?.map(({ node }) => compileNode(node, reading.notes).template);
}

function readSignals(pair: YamlPair | undefined, reading: PipelineReading): TerminalSignals {
  if (pair?.value.type !== 'map') return { ...NO_SIGNALS, any: patternsOf(pair, reading) };
  const what = { what: '"terminal_signals"', keys: ['done', 'refused', 'failed'] };
  const fields = readFields(pair.value, what, reading);
  const of = (key: string) => patternsOf(fields?.get(key), reading);
  return { any: [], done: of('done'), refused: of('refused'), failed: of('failed') };
}

function patternsOf(pair: YamlPair | undefined, reading: PipelineReading): string[] {
  return (readTexts(pair, reading, 'a list of regular expressions') ?? []).flatMap(({ text, at }) => {
    const why = unsafeRegex(text);
    if (why === undefined) return [text];
    reading.notes.error('driver-file', at, `"${text}" cannot be used as a regular expression: ${why}.`, {
      hint: 'Write plain words, or a simpler expression.',
    });
    return [];
  });
}

function readPlaceholder(fields: Fields, reading: PipelineReading): string {
  const literal = readString(fields.get('query_injection_placeholder'), reading) ?? '';
  const isOn = readBoolean(fields.get('supports_query_injection'), reading) ?? false;
  const pair = fields.get('supports_query_injection');
  if (isOn && literal === '' && pair) {
    reading.notes.error('driver-file', pair.value.at, 'Nothing says which text of RUN stands for the queries.', {
      hint: 'Add query_injection_placeholder: "q1|q2|q3|q4".',
    });
  }
  return isOn ? literal : '';
}

function readLogFile(pair: YamlPair | undefined, reading: PipelineReading): string | undefined {
  const name = readString(pair, reading);
  if (name === undefined || !pair) return undefined;
  const base = path.posix.basename(name);
  if (/^[\w.-]+\.log$/.test(base) && !base.startsWith('.')) return base;
  reading.notes.error('driver-file', pair.value.at, `"${name}" is no name of a log file.`, {
    hint: 'Write a name that ends in .log; it lies beside the runs of the skill.',
  });
  return undefined;
}

/** The run's folder is where all runs are; what the template says below it counts. */
function readBelow(pair: YamlPair | undefined, reading: PipelineReading): string {
  const template = readString(pair, reading);
  if (template === undefined || !pair) return '';
  const below = template
    .replace(/\/+$/, '')
    .replace(/^(?:\.\/)?skill_run\/[^/]+\/[^/]+/, '')
    .replace(/^\//, '');
  const isPlain = below === '' || below.split('/').every((part) => /^[\w-][\w.-]*$/.test(part));
  if (/^(?:\.\/)?skill_run\//.test(template) && isPlain) return below;
  reading.notes.error('driver-file', pair.value.at, `"${template}" does not lie below skill_run/<skill>/<run>.`, {
    hint: 'Runs always lie in skill_run/<skill>/<run>; write skill_run/{skill}/{slug}, or a folder below it.',
  });
  return '';
}
