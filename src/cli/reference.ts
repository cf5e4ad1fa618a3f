/** pipeline reference: what an author must know, as one text or in its parts. */
import { referenceOf, referenceText } from '../reference/reference.js';
import { STEP_KINDS, TOOLS } from '../run.js';
import { printJson, printResult } from './output.js';

export function referenceCommand(options: { readonly json?: boolean }): void {
  const reference = referenceOf(STEP_KINDS, TOOLS);
  if (options.json) printJson(reference);
  else printResult(referenceText(reference));
}
