/** The promises that every run keeps, and how one was broken. */

/** Names of the promises, as they are told. */
export const PROMISES = {
  end: 'every run comes to a stated end',
  bug: 'no fault of the program itself',
  done: '"done" means that everything asked for was done',
  once: 'no effect happens twice',
  budget: 'no budget is passed',
  after: 'nothing starts after the end',
  needs: 'nothing starts after a failed need',
  bounds: 'nothing goes beyond its bound',
  output: 'a result satisfies its schema',
  journal: 'the journal tells all that happened',
  files: 'what was published is there, and nothing else',
  crash: 'a crash changes no result',
} as const;

export type PromiseName = keyof typeof PROMISES;

export interface Broken {
  readonly what: string;
  readonly said: string;
}

export type Say = (what: PromiseName, said: string) => void;
