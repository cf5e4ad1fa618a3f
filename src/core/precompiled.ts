/** Checks that the build made from our own schemas: empty here, replaced in the bundle. */

/** As Ajv compiles it: answers yes or no, and leaves what it found in `errors`. */
export interface CompiledCheck {
  (value: unknown): boolean;
  errors?: readonly CheckError[] | null;
}

export interface CheckError {
  readonly keyword: string;
  /** JSON Pointer into the value. */
  readonly instancePath: string;
  /** Path into the schema, as a URI fragment. */
  readonly schemaPath: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly message?: string;
}

/** By `hashJson(schema)`; meta-schemas as `meta:draft-07` and `meta:2020-12`. */
export const precompiled: Readonly<Record<string, CompiledCheck>> = {};
