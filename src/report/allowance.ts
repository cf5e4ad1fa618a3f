/** How much of what steps left a report holds: what is large is cut, and beyond a total it is left out. */

/** Characters of prompts, conversations, outputs, logs and files in one report. */
const MOST_CHARACTERS = 5_000_000;
/** Of these, for the files that were published. */
const MOST_OF_FILES = 2_000_000;

export interface Allowance {
  /** For steps; false if there is no room for it. */
  forStep(characters: number): boolean;
  /** Likewise for files that were published. */
  forFile(characters: number): boolean;
  /** Something was left out. */
  isSpent(): boolean;
}

export function createAllowance(): Allowance {
  let left = MOST_CHARACTERS;
  let leftForFiles = MOST_OF_FILES;
  let isSpent = false;
  const take = (characters: number) => {
    if (characters > left) {
      isSpent = true;
      return false;
    }
    left -= characters;
    return true;
  };
  return {
    forStep: take,
    forFile(characters) {
      if (characters > leftForFiles) {
        isSpent = true;
        return false;
      }
      leftForFiles -= characters;
      return take(characters);
    },
    isSpent: () => isSpent,
  };
}
