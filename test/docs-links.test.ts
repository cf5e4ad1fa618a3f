/** Links between the pages lead somewhere, as a code host names files and headings. */
import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { PAGES, readPage } from './support/pages.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const withoutCode = (page: string) => page.replace(/^( *)```[\s\S]*?^\1```$/gm, '').replace(/`[^`\n]*`/g, '`code`');

/** What a code host makes of a heading; a second one of that name gets `-1`. */
function anchorsOf(page: string): Set<string> {
  const seen = new Map<string, number>();
  const headings = page.replace(/^( *)```[\s\S]*?^\1```$/gm, '').matchAll(/^#{1,6} (.+)$/gm);
  for (const [, heading = ''] of headings) {
    const shown = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const name = shown.replace(/[^\p{L}\p{N}\s_-]/gu, '').replace(/\s/g, '-');
    const times = seen.get(name) ?? 0;
    seen.set(name, times + 1);
    if (times > 0) seen.set(`${name}-${times}`, 1);
  }
  return new Set(seen.keys());
}

function wrong(page: string, address: string): string | undefined {
  const [path = '', anchor] = address.split('#');
  const file = path === '' ? page : join(dirname(page), path);
  if (file.startsWith('..') || !existsSync(join(ROOT, file))) return `${address}: there is no ${file}`;
  if (statSync(join(ROOT, file)).isDirectory()) return `${address}: a folder is no page of the site`;
  if (anchor === undefined) return undefined;
  return anchorsOf(readPage(file)).has(anchor) ? undefined : `${address}: ${file} has no such heading`;
}

function wrongLinks(page: string, text: string): string[] {
  const links = [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, address = '']) => address);
  return links.filter((one) => !/^[a-z]+:/.test(one)).flatMap((one) => wrong(page, one) ?? []);
}

it.each(PAGES)('%s links to files and headings that there are', (page) => {
  expect(wrongLinks(page, readPage(page))).toEqual([]);
});

it.each([
  ['[a](gone.md)', 'there is no docs/gone.md'],
  ['[a](tutorial.md#9-nothing)', 'has no such heading'],
  ['[a](#nothing)', 'has no such heading'],
  ['![a](images/gone.png)', 'there is no docs/images/gone.png'],
  ['[a](../docs)', 'a folder is no page'],
  ['[a](../../elsewhere.md)', 'there is no ../elsewhere.md'],
])('%s is seen to be wrong', (text, said) => {
  expect(wrongLinks('docs/faq.md', text).join()).toContain(said);
});

it('each page of the folder is in the menu of the site, and the menu leads to pages', async () => {
  const file = join(ROOT, 'docs/.vitepress/config.mjs');
  const { default: site } = await import(file);
  const menu: { link: string }[] = site.themeConfig.sidebar.flatMap(
    ({ items }: { items: { link: string }[] }) => items,
  );
  const listed = menu.map(({ link }) => `${link.slice(1)}.md`);
  expect(listed.filter((page) => page !== 'CHANGELOG.md' && !PAGES.includes(page))).toEqual([]);
  const asOverview = ['docs/index.md', 'docs/how-to/index.md', 'AGENTS.md'];
  expect(PAGES.filter((page) => !listed.includes(page) && !asOverview.includes(page))).toEqual([]);
});
