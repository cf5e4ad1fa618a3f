/** pipeline completion: the text that teaches a shell to complete; `pipeline __complete` is what that text asks. */
import { type CommandShape, candidates } from './complete.js';
import { COMPLETION_SCRIPTS, type Shell } from './completion-scripts.js';
import { printResult } from './output.js';

export function completionCommand(shell: Shell): void {
  printResult(COMPLETION_SCRIPTS[shell]);
}

/** Where a shell asks, nothing may be said but names: one a line, behind a tab what it is; `:files` where files can stand. */
export async function completeCommand(program: CommandShape, words: readonly string[]): Promise<void> {
  try {
    const { names, files } = await candidates(program, { words, cwd: process.cwd(), env: process.env });
    const lines = names
      .filter(({ name }) => !/[\t\n\r]/.test(name))
      .map(({ name, about }) => {
        return about === undefined ? name : `${name}\t${about.replaceAll(/\s+/g, ' ')}`;
      });
    const all = [...lines, ...(files ? [':files'] : [])];
    if (all.length > 0) printResult(all.join('\n'));
  } catch {
    // A shell that is told nothing completes nothing.
  }
}
