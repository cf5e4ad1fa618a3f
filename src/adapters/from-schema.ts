/** The TypeScript type of the values that satisfy a JSON Schema, as far as TypeScript can tell. */
import type { Json } from '../core/json.js';

/**
 * Write the schema `as const`, or in the place where it is used. Understood: `type` (also a list), `properties`, `required`, `items`,
 * `prefixItems`, `enum`, `const`, `anyOf`, `oneOf`, `allOf`, `additionalProperties`. What is not understood (`$ref`, `if`) is `Json`.
 */
export type FromSchema<S> = S extends true
  ? Json
  : S extends false
    ? never
    : S extends { readonly const: infer Value }
      ? Value
      : S extends { readonly enum: readonly (infer Value)[] }
        ? Value
        : S extends { readonly anyOf: readonly (infer Part)[] }
          ? FromSchema<Part>
          : S extends { readonly oneOf: readonly (infer Part)[] }
            ? FromSchema<Part>
            : S extends { readonly allOf: readonly [infer First, ...infer Rest] }
              ? FromSchema<First> & AllOf<Rest>
              : S extends { readonly type: infer Type }
                ? OfType<Type extends readonly (infer One)[] ? One : Type, S>
                : Json;

type AllOf<Parts extends readonly unknown[]> = Parts extends readonly [infer First, ...infer Rest]
  ? FromSchema<First> & AllOf<Rest>
  : unknown;

type OfType<Type, S> = Type extends 'string'
  ? string
  : Type extends 'number' | 'integer'
    ? number
    : Type extends 'boolean'
      ? boolean
      : Type extends 'null'
        ? null
        : Type extends 'array'
          ? OfArray<S>
          : Type extends 'object'
            ? OfObject<S>
            : Json;

type OfArray<S> = S extends { readonly prefixItems: infer Items extends readonly unknown[] }
  ? { -readonly [At in keyof Items]: FromSchema<Items[At]> }
  : S extends { readonly items: infer Item }
    ? FromSchema<Item>[]
    : Json[];

type OfObject<S> = S extends { readonly properties: infer Properties }
  ? Flat<
      {
        -readonly [Name in keyof Properties as Name extends RequiredOf<S> ? Name : never]: FromSchema<Properties[Name]>;
      } & {
        -readonly [Name in keyof Properties as Name extends RequiredOf<S> ? never : Name]?: FromSchema<
          Properties[Name]
        >;
      }
    >
  : S extends { readonly additionalProperties: infer Value extends object }
    ? Record<string, FromSchema<Value>>
    : Record<string, Json>;

type RequiredOf<S> = S extends { readonly required: readonly (infer Name)[] } ? Name : never;

/** One object type in the place of an intersection, so that editors show it as one. */
type Flat<Value> = { [Name in keyof Value]: Value[Name] };
