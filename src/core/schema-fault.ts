/** What is wrong with a schema, where in it. */

export interface SchemaFault {
  readonly severity: 'error' | 'warning';
  /** Keys into the schema. */
  readonly path: readonly (string | number)[];
  readonly message: string;
  readonly hint?: string;
  /** Set on the one fault that stops the walk. */
  readonly tooBig?: true;
}
