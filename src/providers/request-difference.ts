/** Says how a request differs from a recorded one: only what differs, in a few lines. */

import { differences, pointer } from '../core/compare-json.js';
import { lineChanges } from '../core/compare-text.js';
import type { Json, JsonObject } from '../core/json.js';
import type { CanonicalRequest } from './canonical-request.js';
import { isSame } from './cassette.js';

const MOST_PLACES = 6;
const MOST_PAIRS = 3;
/** With its margins, a test report's too, it fits 80 columns. */
const WIDEST = 62;

/** Indented by two; the first line of each place names it. */
export function differenceText(recorded: CanonicalRequest, asked: CanonicalRequest): string {
  const places = [
    ...valueLine('model', recorded.model, asked.model),
    ...parameterLines(recorded.parameters, asked.parameters),
    ...valueLine('tool choice', recorded.toolChoice, asked.toolChoice),
    ...textLines('system', recorded.system, asked.system),
    ...toolLines(recorded.tools, asked.tools),
    ...messageLines(recorded.messages, asked.messages),
    ...formatLines(recorded.format, asked.format),
  ];
  const rest = places.length - MOST_PLACES;
  return [...places.slice(0, MOST_PLACES), ...(rest > 0 ? [`  and ${rest} more`] : [])].join('\n');
}

/** How much of a request is as recorded: rounds that are equally far come first, then equal parts. */
export function likeness(recorded: CanonicalRequest, asked: CanonicalRequest): number {
  const rounds = ({ messages }: CanonicalRequest) => messages.filter(({ role }) => role === 'assistant').length;
  const fields = ['model', 'parameters', 'toolChoice', 'system', 'tools', 'format'].filter((name) =>
    isSame(recorded[name] ?? null, asked[name] ?? null),
  );
  const common = asked.messages.filter((message, at) => isSame(message, recorded.messages[at] ?? null)).length;
  return (rounds(recorded) === rounds(asked) ? 1_000 : 0) + common * 10 + fields.length;
}

function valueLine(name: string, was: Json | undefined, is: Json | undefined): string[] {
  if (isSame(was ?? null, is ?? null)) return [];
  return [`  ${name}: ${shown(was)} → ${shown(is)}`];
}

function parameterLines(was: JsonObject, is: JsonObject): string[] {
  const names = [...new Set([...Object.keys(was), ...Object.keys(is)])];
  return names.flatMap((name) => valueLine(`parameter ${name}`, was[name], is[name]));
}

function toolLines(was: readonly JsonObject[], is: readonly JsonObject[]): string[] {
  const names = [...new Set([...was, ...is].map(({ name }) => String(name)))];
  const lines = names.flatMap((name): string[] => {
    const before = was.find((tool) => tool.name === name);
    const now = is.find((tool) => tool.name === name);
    if (!before) return [`  tool ${name}: added`];
    if (!now) return [`  tool ${name}: removed`];
    return differences(before, now)
      .slice(0, 3)
      .flatMap(({ place, before: old, now: fresh }) => valueLine(`tool ${name}, ${pointer(place)}`, old, fresh));
  });
  return lines.length === 0 && !isSame([...was], [...is]) ? ['  tools: in another order'] : lines;
}

function formatLines(was: JsonObject | undefined, is: JsonObject | undefined): string[] {
  if (!was || !is) return valueLine('format', was?.name, is?.name);
  return differences(was, is)
    .slice(0, 3)
    .flatMap(({ place, before, now }) => valueLine(`format, ${pointer(place)}`, before, now));
}

function messageLines(was: readonly JsonObject[], is: readonly JsonObject[]): string[] {
  const both = Math.min(was.length, is.length);
  const changed = Array.from({ length: both }, (_, at) => at).flatMap((at) => {
    const [before = {}, now = {}] = [was[at], is[at]];
    const name = `message ${at + 1} (${now.role === 'tool' ? `result of ${String(now.name)}` : String(now.role)})`;
    const { text: old = '', ...others } = before;
    const { text: fresh = '', ...otherNow } = now;
    const parts = differences(others, otherNow).slice(0, 3);
    return [
      ...textLines(name, String(old), String(fresh)),
      ...parts.flatMap(({ place, before: from, now: to }) => valueLine(`${name}, ${pointer(place)}`, from, to)),
    ];
  });
  if (was.length > both) changed.push(`  messages: ${was.length - both} of those recorded are not there`);
  if (is.length > both) changed.push(`  messages: ${is.length - both} more than recorded`);
  return changed;
}

/** One place; its lines with `-` as recorded, with `+` as asked. */
function textLines(name: string, was: string, is: string): string[] {
  const changes = lineChanges(was, is);
  const [first] = changes;
  if (!first) return [];
  const removed = changes.filter(({ type }) => type === 'removed');
  const added = changes.filter(({ type }) => type === 'added');
  const pairs = Array.from({ length: Math.max(removed.length, added.length) }, (_, at) => at);
  const lines = pairs.slice(0, MOST_PAIRS).flatMap((at) => {
    const [old, fresh] = [removed[at]?.text, added[at]?.text];
    return [
      ...(old === undefined ? [] : [`    - ${around(old, fresh)}`]),
      ...(fresh === undefined ? [] : [`    + ${around(fresh, old)}`]),
    ];
  });
  const rest = changes.length - lines.length;
  const line = (added[0] ?? first).line;
  return [[`  ${name}, line ${line}`, ...lines, ...(rest > 0 ? [`    and ${rest} more lines`] : [])].join('\n')];
}

/** A long line from a little before the place where it differs from the other. */
function around(text: string, other: string | undefined): string {
  if (text.length <= WIDEST) return text;
  let same = 0;
  while (other !== undefined && same < text.length && text[same] === other[same]) same++;
  const start = other === undefined || same < WIDEST - 20 ? 0 : same - 30;
  const end = Math.min(text.length, start + WIDEST);
  return `${start > 0 ? '…' : ''}${text.slice(start, end)}${end < text.length ? '…' : ''}`;
}

function shown(value: Json | undefined): string {
  if (value === undefined) return 'none';
  const text = typeof value === 'string' && value !== '' ? value : JSON.stringify(value);
  return text.length > WIDEST / 2 ? `${text.slice(0, WIDEST / 2 - 1)}…` : text;
}
