/** Who is told of each operation on the disk in memory before it is done. */

/** What is about to change the disk. */
export type Change = 'create' | 'write' | 'sync' | 'rename' | 'remove' | 'meta';

export interface Watch {
  used(): void;
  /** @returns of a write: how much of it comes to be, and what is thrown then */
  changing(
    change: Change,
    path: string,
    bytes?: number,
  ): { readonly bytes: number; readonly error: unknown } | undefined;
  now(): number;
}
