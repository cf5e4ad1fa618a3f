/** Texts that are written as a path to a value there is, without the braces that would read it. */
import { compileCondition } from '../core/expression.js';
import { showPath, staticPath, treeOf } from '../core/tree.js';
import type { Reading } from './fields.js';
import type { TypeScope } from './infer-narrow.js';
import { lookUp } from './infer-paths.js';
import { forms, type Type } from './infer-types.js';
import type { Compiled } from './templates.js';
import { editOf } from './value-edit.js';
import type { YamlScalar } from './yaml-tree.js';

const OF_STEP: readonly unknown[] = ['output', 'status', 'error', 'failures'];

/** @param stepIds of all steps of the file */
export function sayBarePaths(
  { paths = [] }: Compiled,
  scope: TypeScope,
  stepIds: ReadonlySet<string>,
  { notes, source }: Reading,
): void {
  for (const node of paths) {
    const path = pathMeant(node, scope, stepIds);
    if (path === undefined) continue;
    notes.warn('bare-reference', node.at, `"${path}" stands there as text: only \${{ }} reads a value.`, {
      hint: `Write \${{ ${path} }}.`,
      edit: editOf(node, `\${{ ${path} }}`, { source }),
    });
  }
}

/** The path, if there is such a value for certain. */
function pathMeant(node: YamlScalar, scope: TypeScope, stepIds: ReadonlySet<string>): string | undefined {
  const compiled = compileCondition(String(node.value).trim(), node.locate);
  const read = 'expression' in compiled ? staticPath(treeOf(compiled.expression.ast)) : undefined;
  if (!read) return undefined;
  const { root, path } = read;
  const isThere =
    root === 'steps' ? stepIds.has(String(path[0])) && OF_STEP.includes(path[1]) : isKnown(scope.roots.get(root), path);
  return isThere ? showPath(root, path) : undefined;
}

function isKnown(type: Type | undefined, path: readonly (string | number)[]): boolean {
  const [key, ...rest] = path;
  if (key === undefined) return true;
  if (!type || type.kind === 'dynamic') return false;
  const found = forms(type).flatMap((form) =>
    form.kind === 'map' && !form.fields.has(String(key)) ? [] : (lookUp(form, key) ?? []),
  );
  return found.some((field) => field.type.kind === 'dynamic' || isKnown(field.type, rest));
}
