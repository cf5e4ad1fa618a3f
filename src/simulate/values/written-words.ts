/** The words of a message that stand in the file, and are not computed: what it is known by in what a run says. */
import type { Template } from '../../core/expression.js';

/** Up to where the next part of it is computed; '' for one that has no words of its own. */
export function writtenWords(message: Template | undefined): string {
  if (message?.type === 'literal') return String(message.value).trim();
  if (message?.type !== 'text') return '';
  return (message.parts.find((part): part is string => typeof part === 'string') ?? '').trim();
}
