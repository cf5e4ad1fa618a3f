/** Writes the tree of src/ into AGENTS.md: one line a file, from the file's own first sentence. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const BEGIN = '<!-- tree: npm run tree -->\n```\n';
const END = '```\n<!-- /tree -->';

export function treeText() {
  const files = readdirSync(`${root}src`, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  return files
    .sort()
    .map((file) => `src/${file}`.padEnd(34) + purposeOf(readFileSync(`${root}src/${file}`, 'utf8')))
    .join('\n');
}

function purposeOf(text) {
  const [, comment = ''] = /\/\*\*\s*([\s\S]*?)\*\//.exec(text) ?? [];
  const [line = ''] = comment
    .split('\n')
    .map((one) => one.replace(/^\s*\*?\s*/, '').trim())
    .filter(Boolean);
  return line.replace(/\.$/, '');
}

const file = `${root}AGENTS.md`;
const text = readFileSync(file, 'utf8');
const head = text.slice(0, text.indexOf(BEGIN) + BEGIN.length);
const next = `${head}${treeText()}\n${text.slice(text.indexOf(END))}`;
if (process.argv.includes('--check')) {
  if (next !== text) {
    console.error('The tree in AGENTS.md is not current: npm run tree');
    process.exit(1);
  }
} else writeFileSync(file, next);
