/** What an adapter is: from instructions with a schema to a function over a thread, which gives a value of that schema. */
import type { Json } from '../core/json.js';
import type { Image, Message } from '../core/model.js';
import type { CallOptions } from './context.js';
import { type SchemaSource, schemaOf } from './define-tool.js';
import type { FromSchema } from './from-schema.js';

/** What the agent is asked, or what was said so far. */
export type Thread = string | readonly Message[];

export type RoleFn<Value = Json> = (thread: Thread, options?: CallOptions) => Promise<Value>;

/** Instructions and schema are a pair that belongs to the step; the same adapter serves many. */
export type AdapterFn = <const S extends SchemaSource>(prompt: string, schema: S) => RoleFn<FromSchema<S>>;

/** A thread as the one text that an agent is asked. */
export function promptOf(thread: Thread): string {
  if (typeof thread === 'string') return thread;
  const [only, ...more] = thread;
  if (only?.role === 'user' && more.length === 0) return only.text;
  return thread.map((message) => `${message.role}: ${message.text}`).join('\n\n');
}

/** Those that the thread shows. */
export function imagesOf(thread: Thread): readonly Image[] {
  if (typeof thread === 'string') return [];
  return thread.flatMap((message) => (message.role === 'user' ? (message.images ?? []) : []));
}

/** Throws a TypeError unless it is an object's: the schema of an answer is the parameters of `resolve`. */
export function objectSchema(source: SchemaSource) {
  const schema = schemaOf(source);
  if (schema.type === 'object') return schema;
  throw new TypeError(
    `The schema of an answer is that of an object, not of ${JSON.stringify(schema.type)}. Wrap it: { type: "object", properties: { result: … }, required: ["result"] }.`,
  );
}
