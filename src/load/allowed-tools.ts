/** `allowed-tools` of a SKILL.md in our tools' names. */
import type { YamlNode } from './yaml-tree.js';

const OUR_NAMES: Readonly<Record<string, string>> = {
  read: 'read_file',
  write: 'write_file',
  edit: 'patch_file',
  multiedit: 'patch_file',
  glob: 'list_files',
  ls: 'list_files',
  grep: 'search_files',
  bash: 'shell',
};

export interface AllowedTools {
  readonly tools: readonly string[];
  /** How each of them was written, by its name here. */
  readonly written: ReadonlyMap<string, string>;
  /** As written: what has no counterpart here. */
  readonly ignored: readonly string[];
}

/** Undefined if the value is neither a text nor a list of texts. */
export function allowedTools(node: YamlNode): AllowedTools | undefined {
  const words = wordsOf(node);
  if (!words) return undefined;
  const written = new Map<string, string>();
  const ignored: string[] = [];
  for (const word of words) {
    const ours = word === '*' ? [...new Set(Object.values(OUR_NAMES))] : [ourName(word)];
    for (const name of ours) {
      if (name) written.set(name, written.get(name) ?? word);
      else ignored.push(word);
    }
  }
  return { tools: [...written.keys()], written, ignored };
}

function wordsOf(node: YamlNode): string[] | undefined {
  if (node.type === 'scalar' && typeof node.value === 'string') return splitTools(node.value);
  if (node.type !== 'list') return undefined;
  const words: string[] = [];
  for (const item of node.items) {
    if (item.type !== 'scalar' || typeof item.value !== 'string') return undefined;
    words.push(item.value.trim());
  }
  return words;
}

/** At commas or blanks outside of parentheses. */
function splitTools(text: string): string[] {
  return text.match(/[^\s,()]+(?:\s*\([^)]*\))?|\([^)]*\)/g) ?? [];
}

/** `Bash(git log:*)` → `shell(git log *)`. */
function ourName(word: string): string | undefined {
  const match = /^([A-Za-z_]+)\s*(?:\((.*)\))?$/s.exec(word);
  const name =
    match && Object.hasOwn(OUR_NAMES, (match[1] ?? '').toLowerCase())
      ? OUR_NAMES[(match[1] ?? '').toLowerCase()]
      : undefined;
  if (!name) return undefined;
  const rule = match?.[2]?.trim();
  if (name !== 'shell' || !rule || rule === '*') return name;
  return `shell(${rule.replace(/:\*$/, ' *')})`;
}
