/** A tool in the words of a program: a name, what it does, the schema of its input, a function that gives text. */
import type { StepContext } from '../core/context.js';
import { isObject, type Json, type JsonObject } from '../core/json.js';
import type { Tool } from '../core/tool.js';
import type { FromSchema } from './from-schema.js';

/** JSON Schema, or anything that can say itself as one: a schema of zod, valibot, arktype and others with a `toJSONSchema`. */
export type SchemaSource = JsonObject | { toJSONSchema(): unknown };

export interface ToolDefinition<S> {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: S;
  /** What it changes; `none` for a tool that only looks, of which several run at once. Default `none`. */
  readonly effect?: Tool['effect'];
  /** Text for the model; what is no text is given as JSON. What it throws is told to the model as `Error: …`, and the loop goes on. */
  execute(input: FromSchema<S>, context: StepContext): Json | Promise<Json>;
}

/** The input was checked against the schema before `execute` gets it. */
export function defineTool<const S extends SchemaSource>(definition: ToolDefinition<S>): Tool {
  const { name, description, inputSchema, effect = 'none' } = definition;
  return {
    spec: { name, description, parameters: schemaOf(inputSchema) },
    effect,
    async execute(args, context) {
      const given = await definition.execute(args as FromSchema<S>, context);
      return { type: 'text', text: typeof given === 'string' ? given : JSON.stringify(given) };
    },
  };
}

/** Throws a TypeError for what is no schema of an object. */
export function schemaOf(source: SchemaSource): JsonObject {
  const said = 'toJSONSchema' in source && typeof source.toJSONSchema === 'function' ? source.toJSONSchema() : source;
  if (!isObject(said)) throw new TypeError('A schema is an object of JSON Schema, or something with a toJSONSchema().');
  return said;
}
