/** What a stream says, read the slow and obvious way: all bytes at once, rule by rule. */
import { createThinkFilter } from '../../src/providers/think.js';

export interface Reading {
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly { readonly name: string; readonly arguments: string }[];
}

type Chunk = {
  choices?: unknown;
  usage?: unknown;
  error?: unknown;
  object?: unknown;
  type?: unknown;
};
interface Group {
  index?: number | undefined;
  id?: string | undefined;
  name: string;
  args: string;
}

/** `undefined`: it must not be taken for an answer. */
export function readPlainly(bytes: Uint8Array): Reading | undefined {
  let content = '';
  let reasoning = '';
  const groups: Group[] = [];
  let choices = 0;
  let finished = false;
  let done = false;
  for (const data of framesOf(new TextDecoder().decode(bytes))) {
    if (data === undefined) return undefined;
    // A comment that was sent as data.
    if (/^\s*(:[^{]*)?$/.test(data)) continue;
    if (data.trim() === '[DONE]') {
      done = true;
      break;
    }
    let value: Chunk;
    try {
      value = JSON.parse(data) as Chunk;
    } catch {
      return undefined;
    }
    if (typeof value !== 'object' || value === null) continue;
    for (const choice of asList(value.choices)) {
      if (typeof choice !== 'object' || choice === null || (choice.index ?? 0) !== 0) continue;
      choices++;
      const delta = (choice.delta ?? choice.message ?? {}) as Record<string, unknown>;
      if (typeof delta.content === 'string') content += delta.content;
      if (typeof delta.reasoning_content === 'string') reasoning += delta.reasoning_content;
      for (const fragment of asList(delta.tool_calls)) gather(groups, fragment);
      if (typeof choice.finish_reason === 'string' && choice.finish_reason !== '') finished = true;
    }
    if (finished && typeof value.usage === 'object' && value.usage !== null) break;
  }
  if (choices === 0 || !(finished || done)) return undefined;
  const calls = groups.filter(({ name, args }) => name !== '' || args.trim() !== '');
  if (calls.some(({ name }) => name === '')) return undefined;
  const filter = createThinkFilter();
  const [first, rest] = [filter.push(content), filter.end()];
  return {
    text: first.text + rest.text,
    reasoning: reasoning + first.reasoning + rest.reasoning,
    calls: calls.map(({ name, args }) => ({ name, arguments: args.trim() === '' ? '{}' : args })),
  };
}

/** The data of each event; undefined for a line that is damaged, or an event that says it is an error. */
function framesOf(text: string): (string | undefined)[] {
  const frames: (string | undefined)[] = [];
  let data: string[] = [];
  let isError = false;
  for (const line of [...text.split(/\r\n|\n|\r/), '']) {
    if (line === '') {
      if (data.length > 0) frames.push(isError ? undefined : data.join('\n'));
      data = [];
      isError = false;
    } else if (/^data(:|$)/.test(line)) data.push(line.slice(5).replace(/^ /, ''));
    else if (/^event:/.test(line)) isError = /^event: ?error$/.test(line);
    else if (/"(choices|delta)"/.test(line)) frames.push(undefined);
  }
  return frames;
}

/** By index; else a new id opens a call; else the last one goes on. */
function gather(groups: Group[], fragment: Record<string, unknown>): void {
  if (typeof fragment !== 'object' || fragment === null) return;
  const index = typeof fragment.index === 'number' ? fragment.index : undefined;
  const id = typeof fragment.id === 'string' && fragment.id !== '' ? fragment.id : undefined;
  const inside = (typeof fragment.function === 'object' ? fragment.function : null) ?? {};
  const { name, arguments: args } = inside as { name?: unknown; arguments?: unknown };
  let group =
    index !== undefined
      ? groups.findLast((one) => one.index === index)
      : id === undefined
        ? groups.at(-1)
        : groups.findLast((one) => one.id === id);
  if (!group || (id !== undefined && group.id !== undefined && group.id !== id)) {
    group = { index, name: '', args: '' };
    groups.push(group);
  }
  group.id ??= id;
  if (typeof name === 'string' && name !== '' && group.name !== name) group.name += name;
  if (typeof args === 'string') group.args += args;
  else if (args !== undefined && args !== null) group.args += JSON.stringify(args);
}

// biome-ignore lint/suspicious/noExplicitAny: it is whatever the damage left.
const asList = (value: unknown): any[] => (Array.isArray(value) ? value : []);
