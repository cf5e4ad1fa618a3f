/** A row of the scoreboard: a promise, how it is tried, what must come out, the guards without which it would not. */
export type Size = 'small' | 'large';

export interface Row {
  /** As `--only` and `--mutate` name it; the name of its file. */
  readonly name: string;
  readonly promise: string;
  /** What must come out, as people read it. */
  readonly target: string;
  /** Tries it as often as the size says. Throws only where the row itself is wrong. */
  prove(size: Size, ground: Ground): Promise<Figure>;
  /** The same tried with nothing but what people would use without us. Its figure is shown, never judged. */
  readonly bare?: { readonly of: string; prove(size: Size, ground: Ground): Promise<Figure> };
  /** At least one: the row counts only if it fails without each of them. */
  readonly guards: readonly [Guard, ...Guard[]];
}

/** What keeps a promise, as a piece of source that can be taken out. */
export interface Guard {
  /** What it does, in a few words. */
  readonly says: string;
  /** From the project's folder. */
  readonly file: string;
  /** Stands in the file exactly once. */
  readonly find: string;
  /** What stands there instead when the guard is gone. */
  readonly replace: string;
}

export interface Ground {
  /** Absolute, empty, removed afterwards. */
  readonly dir: string;
  /** The built command line: absolute path of its cli.js. */
  readonly cli: string;
  /** The same seed gives the same trials. */
  readonly seed: number;
}

export interface Figure {
  readonly tried: number;
  /** One line for each trial that broke the promise; empty when it holds. */
  readonly faults: readonly string[];
  /** Further figures, as people read them: `p95 2.1 ms a step`. */
  readonly also?: string;
}
