/** What models say, line by line as it becomes whole: for `--verbose`. */
import type { Delta } from '../../core/model.js';
import type { StepPath } from '../../core/outcome.js';
import { plainText } from '../../core/plain-text.js';

export interface Spoken {
  /** Lines that became whole. */
  hear(path: StepPath, delta: Delta): string[];
  /** What is left when its round is over. */
  end(path: StepPath): string[];
}

/** A line that is longer is broken there: it need not end. */
const MOST_CHARACTERS = 4_000;

export function spoken(): Spoken {
  const begun = new Map<StepPath, string>();
  const shown = (line: string) => plainText(line).trimEnd();
  return {
    hear(path, { type, text }) {
      if (type !== 'text') return [];
      const lines = `${begun.get(path) ?? ''}${text}`.split('\n');
      const rest = lines.pop() ?? '';
      if (rest.length > MOST_CHARACTERS) lines.push(rest);
      begun.set(path, rest.length > MOST_CHARACTERS ? '' : rest);
      return lines.map(shown).filter((line) => line !== '');
    },
    end(path) {
      const rest = shown(begun.get(path) ?? '');
      begun.delete(path);
      return rest === '' ? [] : [rest];
    },
  };
}
