/** The README in Chinese says what the README says: it goes stale with no notice from its readers. */
import { expect, it } from 'vitest';
import { fencesOf, readPage } from './support/pages.js';

const ENGLISH = readPage('README.md');
const CHINESE = readPage('README.zh.md');

/** Comments are translated. */
const blocks = (page: string) =>
  fencesOf(page).map(({ language, text }) => ({ language, text: text.replace(/ +# .*$/gm, '') }));

/** What stands in code in the first cell of a row; of an exit code, the code. */
const rows = (page: string) =>
  page.split('\n').flatMap((line) => {
    const [, cell = ''] = /^\| (.*?) \|/.exec(line) ?? [];
    if (/^[\d, ]+$/.test(cell)) return [cell];
    const code = [...cell.matchAll(/`([^`]+)`/g)].map(([, text]) => text);
    return code.length === 0 ? [] : [code.join(' ')];
  });

const links = (page: string) =>
  [...page.matchAll(/\]\(([^)]+)\)/g)].map(([, address = '']) => address).filter((one) => !one.startsWith('README'));

/** The scores of the promises: tried, broken. */
const numbers = (page: string) =>
  page
    .split('\n')
    .filter((line) => /^\|.*\| 0/.test(line))
    .map((line) => /^\|.*?\| ([\d ]+\d)/.exec(line)?.[1]);

it.each([
  ['code blocks', blocks],
  ['commands and exit codes', rows],
  ['links', links],
  ['numbers of the promises', numbers],
] as const)('it has the same %s in the same order', (_, of) => {
  expect(of(ENGLISH).length).toBeGreaterThan(5);
  expect(of(CHINESE)).toEqual(of(ENGLISH));
});

it('each links to the other in its first lines', () => {
  expect(ENGLISH.split('\n').slice(0, 4).join('\n')).toContain('[中文](README.zh.md)');
  expect(CHINESE.split('\n').slice(0, 4).join('\n')).toContain('[English](README.md)');
});
