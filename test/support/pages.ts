/** The pages of the documentation, and what each of them holds. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

export const readPage = (page: string) => readFileSync(join(ROOT, page), 'utf8');

const inDocs = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.md') && !/^(api|\.vitepress)\//.test(name))
  .map((name) => `docs/${name}`)
  .sort();

/** From the root of the project. */
export const PAGES: readonly string[] = ['README.md', 'README.zh.md', 'AGENTS.md', 'skills/AGENTS.md', ...inDocs];

/** Those that say "type this": test/e2e/pages.test.ts follows each from its first command to its last. */
export const FOLLOWED: readonly string[] = [
  'README.md',
  'docs/tutorial.md',
  'docs/explain.md',
  'docs/testing.md',
  ...inDocs.filter(isHowTo),
];

function isHowTo(page: string): boolean {
  return page.startsWith('docs/how-to/') && page !== 'docs/how-to/index.md';
}

export interface Fence {
  /** Of its first line of text. */
  readonly line: number;
  readonly language: string;
  readonly file: string;
  readonly text: string;
}

export function fencesOf(page: string): Fence[] {
  return [...page.matchAll(/^( *)```(\w*)(?: (\S+))?\n([\s\S]*?)^\1```$/gm)].map(
    ({ index, 2: language = '', 3: file = '', 4: text = '' }) => ({
      line: page.slice(0, index).split('\n').length + 1,
      language,
      file,
      text,
    }),
  );
}
