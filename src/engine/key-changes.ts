/** Which parts of two keys differ, in the words of the pipeline file. */

type Parts = Readonly<Record<string, string>>;

/** Names as an author knows them: `prompt`, `output schema`, `file prompts/audit.md`. */
export function changedParts(before: Parts, now: Parts): string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])];
  return names.filter((name) => before[name] !== now[name]).map(partName);
}

/** A part of a key as people call it. */
function partName(part: string): string {
  if (part === 'output') return 'output schema';
  return part.replace(/^config\./, '').replace(/^(file|tool|assert)\./, '$1 ');
}
