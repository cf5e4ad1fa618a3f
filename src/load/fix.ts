/** Applies the edits of problems that have one answer, pass by pass, until none is left. */
import { readFileSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { Fault } from '../core/faults.js';
import type { Problem } from '../core/problems.js';
import { writeFileAtomic } from '../files/atomic-write.js';
import { sourceOf } from './text.js';

/** Edits make other edits possible: a key must be known before its value can be judged. */
const MAX_PASSES = 10;

/** An edit that was made, at its place in the file as it was then. */
export interface Fixed {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly rule: string;
  readonly from: string;
  readonly to: string;
}

export interface FixRun {
  /** What is left. */
  readonly problems: readonly Problem[];
  readonly fixed: readonly Fixed[];
}

/**
 * @param check what is wrong with the files as they are now
 * @param roots absolute folders; a file outside of all of them is never changed
 */
export async function fixAll(check: () => Promise<readonly Problem[]>, roots: readonly string[]): Promise<FixRun> {
  const fixed: Fixed[] = [];
  const seen = new Set<string>();
  let problems = await check();
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    const made = applyEdits(problems, roots, seen);
    if (made.length === 0) break;
    fixed.push(...made);
    problems = await check();
  }
  return { problems, fixed };
}

/** @param seen texts of files, by which edits that undo each other are noticed */
function applyEdits(problems: readonly Problem[], roots: readonly string[], seen: Set<string>): Fixed[] {
  const byFile = new Map<string, Editable[]>();
  for (const problem of problems) {
    if (!isEditable(problem)) continue;
    // A link is followed, so that it stays one.
    const file = realpathSync(problem.at.file);
    byFile.set(file, [...(byFile.get(file) ?? []), problem]);
  }
  const own = [...byFile].filter(([file]) => isInside(file, roots));
  return own.flatMap(([file, editable]) => editFile(file, editable, seen));
}

function editFile(file: string, problems: readonly Editable[], seen: Set<string>): Fixed[] {
  const before = readFileSync(file, 'utf8');
  const source = sourceOf(file, before);
  const edits = apart(problems);
  let after = before;
  for (const { edit } of edits.toReversed()) after = after.slice(0, edit.start) + edit.text + after.slice(edit.end);
  seen.add(`${file}\n${before}`);
  if (seen.has(`${file}\n${after}`)) return [];
  write(file, after);
  return edits.map(({ rule, at, edit }) => {
    const { line, column } = source.position(edit.start - source.skipped);
    return { file: at.file, line, column, rule, from: before.slice(edit.start, edit.end), to: edit.text };
  });
}

function write(file: string, text: string): void {
  try {
    writeFileAtomic(file, text, { mode: statSync(file).mode & 0o777, durable: false });
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? String(error);
    throw new Fault('input.invalid', `${file} cannot be changed (${reason})`, {
      hint: 'Make its folder writable, or check without --fix.',
    });
  }
}

type Editable = Problem & { readonly edit: NonNullable<Problem['edit']> };

function isEditable(problem: Problem): problem is Editable {
  return problem.edit !== undefined;
}

/** In the order of the file; of two that touch the first is made, the other one is left to a later pass. */
function apart(editable: readonly Editable[]): Editable[] {
  const inOrder = [...editable].sort((a, b) => a.edit.start - b.edit.start || a.edit.end - b.edit.end);
  const chosen: Editable[] = [];
  for (const each of inOrder) {
    const last = chosen.at(-1);
    if (!last || each.edit.start > last.edit.end) chosen.push(each);
  }
  return chosen;
}

/** @param file its real path: a link that leads out of the roots is outside */
function isInside(file: string, roots: readonly string[]): boolean {
  return roots.some((root) => {
    const relative = path.relative(realPathOr(root), file);
    return relative !== '' && relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
  });
}

function realPathOr(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}
