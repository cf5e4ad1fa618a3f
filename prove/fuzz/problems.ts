/** What is wrong with a list of problems, as findings that people can use. */
import { hasErrors, type Problem } from '../../src/core/problems.js';

/** @param isUsable what was read can be used all the same */
export function wrongProblems(problems: readonly Problem[], isUsable: boolean): string | undefined {
  if (isUsable === hasErrors(problems)) return isUsable ? 'usable in spite of an error' : 'refused without an error';
  const vague = problems.find(({ message, at }) => message === '' || !(at.line >= 1) || !(at.column >= 1));
  return vague && `a problem without a place or words: ${JSON.stringify(vague)}`;
}
