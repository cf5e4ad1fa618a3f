/** One turn of a model in the hands of the adversary: an accepted answer, an odd one, a wrong one, calls, or none. */
import type { StepContext } from '../../core/context.js';
import type { Json, JsonObject, JsonSchema } from '../../core/json.js';
import type { ModelReply, ModelRequest, ToolCall } from '../../core/model.js';
import type { Draw } from '../choices/choices.js';
import { type Accepting, acceptedValue } from '../values/accepted.js';
import { breakValue } from '../values/broken-value.js';
import { drawValue, NO_POOL, type Pool } from '../values/values.js';
import { artifactFiles, writingId, writtenIn } from './artifact-files.js';
import { usageOf } from './model-usage.js';

export const TURNS = [
  'accepted',
  'allowed',
  'invalid',
  'text',
  'calls',
  'unknown tool',
  'repeated',
  'cut off',
  'refusal',
  'no JSON',
  'twice',
  'nothing',
] as const;

/**
 * @param mood the turn that this attempt likes best, an index of TURNS
 * @param stem what the ids of its calls begin with: they say which attempt they are of
 */
export async function replyOf(
  request: ModelRequest,
  draw: Draw,
  mood: number,
  stem: string,
  acceptingNow: () => Omit<Accepting, 'unwrap'>,
): Promise<ModelReply> {
  const drawn = draw.pick('model', TURNS.length);
  const kind = TURNS[drawn === 0 ? mood : drawn] ?? 'accepted';
  const usage = usageOf(draw);
  const resolve = request.tools.find(({ name }) => name === 'resolve');
  const others = request.tools.filter(({ name }) => name !== 'resolve');
  const schema: JsonSchema = request.format?.schema ?? resolve?.parameters ?? true;
  const accepted = () => {
    const accepting = acceptingNow();
    return acceptedValue(schema, draw, { ...accepting, unwrap: unwrapped(schema, accepting.context) });
  };
  const mark = `[a${stem.split('.')[2]}]`;
  const call = (name: string, args: string, n = 0): ToolCall => ({ id: `${stem}.${n}`, name, arguments: args });
  const says = (text: string, calls: readonly ToolCall[], finish: ModelReply['finish']): ModelReply => ({
    text,
    calls,
    finish,
    ...(usage ? { usage } : {}),
  });
  const answers = (value: Json): ModelReply =>
    request.format
      ? says(JSON.stringify(value), [], 'stop')
      : says('', [call('resolve', JSON.stringify(value))], 'calls');
  switch (kind) {
    case 'accepted': {
      const files = unwritten(request, acceptingNow().context);
      if (files.length === 0) return answers(await accepted());
      const writes = files.map(
        ([at, path]): ToolCall => ({
          id: writingId(stem, at),
          name: 'write_file',
          arguments: JSON.stringify({ path, content: `of ${path}\n` }),
        }),
      );
      return says('', writes, 'calls');
    }
    case 'allowed':
      return answers(drawValue(schema, draw, acceptingNow().pool));
    case 'invalid':
      return answers(breakValue(drawValue(schema, draw, acceptingNow().pool), draw));
    case 'text':
      return says(`I would say that it is done. ${mark}`, [], 'stop');
    case 'calls':
    case 'repeated': {
      if (others.length === 0) return says(`There is nothing to call. ${mark}`, [], 'stop');
      const count = kind === 'calls' ? 1 + draw.rarely(0.3, 4) : 1;
      const calls = Array.from({ length: count }, (_, n) => {
        const tool = others[kind === 'calls' ? draw.rarely(0.6, others.length) : 0];
        const args = kind === 'calls' ? drawValue(tool?.parameters, draw, PATHS) : { path: 'the-same.md' };
        return call(tool?.name ?? '', JSON.stringify(args), n);
      });
      return says('', calls, 'calls');
    }
    case 'unknown tool':
      return says('', [call('launch_missiles', '{"at":"dawn"}')], 'calls');
    case 'cut off':
      return says(mark, [call('resolve', '{"cut')], 'length');
    case 'refusal':
      return says(`I cannot help with that. ${mark}`, [], 'refusal');
    case 'no JSON':
      return says('', [call('resolve', '{"a": ')], 'calls');
    case 'twice': {
      const value = JSON.stringify(await accepted());
      return says('', [call('resolve', value, 0), call('resolve', value, 1)], 'calls');
    }
    case 'nothing':
      return says('', [], 'stop');
  }
}

/** Files that the step must leave, which its model can write and has not yet, with their numbers. */
function unwritten({ tools, messages }: ModelRequest, context: StepContext | undefined): (readonly [number, string])[] {
  if (!context || context.step.artifacts.length === 0 || !tools.some(({ name }) => name === 'write_file')) return [];
  const { files } = writtenIn(messages);
  return [...artifactFiles(context.step).entries()].filter(([at]) => !files.has(at));
}

const PATHS: Pool = { ...NO_POOL, texts: ['notes.md', 'a/b.txt', '../outside.md', '.', 'prompt.md'] };

/** The tool's parameters wrap what is no object. */
function unwrapped(schema: JsonSchema, context: StepContext | undefined): (value: Json) => Json {
  const own = context?.step.output?.json;
  const isWrapped = typeof schema === 'object' && own !== schema && typeof own === 'object' && own.type !== 'object';
  return (value) =>
    isWrapped && typeof value === 'object' && value !== null && 'result' in value
      ? ((value as JsonObject).result ?? null)
      : value;
}
