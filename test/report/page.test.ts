import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { html } from '../../src/report/html.js';
import { pagePolicy, reportPage, sectionsOf } from '../../src/report/page.js';
import { runView } from '../../src/report/run-view.js';
import { SCRIPT } from '../../src/report/script.js';
import { STYLE } from '../../src/report/style.js';
import { gardenRun, HOSTILE, hostileRun, longRun } from './runs.js';

/** Every element of the page with its attributes. */
function elements(page: string): { tag: string; attributes: [string, string][] }[] {
  const text = page.replace(/<style>[\s\S]*?<\/style>|(?<=<script>)[\s\S]*?(?=<\/script>)/g, '');
  return [...text.matchAll(/<([a-z][a-z0-9]*)((?:\s[^<>]*)?)>/gi)].map(([, tag = '', rest = '']) => ({
    tag: tag.toLowerCase(),
    attributes: [...rest.matchAll(/([\w-]+)(?:="([^"]*)")?/g)].map(([, name = '', value = '']) => [name, value]),
  }));
}

function expectHarmless(page: string): void {
  const all = elements(page);
  expect(all.filter(({ tag }) => tag === 'script')).toHaveLength(1);
  expect(new Set(all.map(({ tag }) => tag)).has('iframe')).toBe(false);
  for (const { tag, attributes } of all)
    for (const [name, value] of attributes) {
      expect(name, tag).not.toMatch(/^(on|style$|srcdoc$|action$|formaction$)/);
      if (name === 'href') expect(value).toMatch(/^(#|\.\/|https?:\/\/|mailto:)/);
      if (name === 'src') expect(value).toMatch(/^data:image\//);
    }
}

const idsIn = (page: string) =>
  elements(page).flatMap(({ attributes }) => attributes.filter(([name]) => name === 'id').map(([, id]) => id));

describe('the page', () => {
  it('is one document that loads nothing, with a policy under which only its own style and script hold', async () => {
    const { dir } = await gardenRun();
    const page = readFileSync(join(dir, 'report.html'), 'utf8');
    expect(page).toBe(await reportPage(runView(dir)));
    const source = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
    expect(pagePolicy()).toBe(
      `default-src 'none'; style-src ${source(STYLE)}; script-src ${source(SCRIPT)}; img-src data:; base-uri 'none'; form-action 'none'`,
    );
    expect(page).toContain(`<style>${STYLE}</style>`);
    expect(page).toContain(`<script>${SCRIPT}</script>`);
    expectHarmless(page);
    expect(page.length).toBeLessThan(80_000);
  });

  it('has an id once, and leads nowhere that is not there', async () => {
    const { dir } = await gardenRun();
    const page = await reportPage(runView(dir));
    const ids = idsIn(page);
    expect(ids.length).toBe(new Set(ids).size);
    const targets = elements(page).flatMap(({ attributes }) =>
      attributes.flatMap(([name, value]) => (name === 'href' && value.startsWith('#') ? [value.slice(1)] : [])),
    );
    expect(targets.length).toBeGreaterThan(10);
    expect(targets.filter((id) => !ids.includes(id))).toEqual([]);
    for (const { tag, attributes } of elements(page))
      if (tag === 'details') expect(attributes.map(([name]) => name)).toContain('id');
  });

  it('is made of sections, which stand in it as they are and can be exchanged', async () => {
    const { dir } = await gardenRun();
    const view = runView(dir);
    const sections = await sectionsOf(view);
    expect(sections.map(({ id }) => id)).toEqual(['summary', 'graph', 'timeline', 'steps', 'files', 'usage', 'facts']);
    const page = await reportPage(view, {
      head: (all) => html`<meta name="x" content="${all.length}">`,
      banner: html`<a href="./">runs</a>`,
      actions: html`<p id="act">stop</p>`,
      policy: false,
    });
    expect(page).not.toContain('Content-Security-Policy');
    expect(page).toMatch(
      /<meta name="x" content="7"><\/head>[\s\S]*<a href=".\/">runs<\/a><nav[\s\S]*<main><p id="act">stop<\/p><section id="summary"/,
    );
  });

  it('names no path of the machine where it can name one of the project', async () => {
    const { dir } = await gardenRun();
    const { facts } = runView(dir);
    expect([facts.dir, facts.file]).toEqual(['skill_run/garden/birds-of-a-garden', 'pipeline.yaml']);
    expect(dir.endsWith(`/${facts.dir}`)).toBe(true);
    expect(await reportPage(runView(dir))).not.toContain(dir);
  });

  it('tells what went wrong, what is asked, what came out and what to type', async () => {
    const { dir } = await gardenRun();
    const page = await reportPage(runView(dir));
    expect(page).toContain('What went wrong');
    expect(page).toContain('Waits for an answer');
    expect(page).toContain('pipeline approve garden/birds-of-a-garden publish --choice publish');
    expect(page).toContain('pipeline resume garden/birds-of-a-garden');
    expect(page).toMatch(/<img src="data:image\/png;base64,[^"]+" alt="a pixel">/);
  });
});

describe('what a model, a file or an author says', () => {
  it('is text wherever it stands, and no address that runs or loads anything', async () => {
    const { dir } = await hostileRun();
    const page = readFileSync(join(dir, 'report.html'), 'utf8');
    expectHarmless(page);
    expect(page).not.toContain('\u001b');
    expect(page).not.toContain('\u202e');
    expect(page.split('&lt;script&gt;document.title=').length).toBeGreaterThan(12);
    expect(page).toContain('\\u001b[31mred');
    expect(HOSTILE).toContain('<script>');
  });
});

describe('of a thousand items', () => {
  it('tells the first of them whole, all that failed, and of the others what came of each', async () => {
    const { dir } = await longRun(120);
    const items = runView(dir).steps[0]?.steps ?? [];
    const told = items.map(({ detail }) => detail.told);
    expect([told.slice(0, 2), told[100], told[119]]).toEqual([['whole', 'whole'], 'whole', 'brief']);
    const page = await reportPage(runView(dir));
    const last = page.slice(page.indexOf('id="step-look.119"'));
    expect(last).toContain('what word-119 means');
    expect(last).toContain('more in .steps/look/119/');
    expect(page).toMatch(
      /Of \d+ steps like many others only the outcome is here; <code>pipeline show long\/many-words …/,
    );
  });

  it('has a line for each, and stays below a bound', async () => {
    const { dir } = await longRun(1_000);
    const page = readFileSync(join(dir, 'report.html'), 'utf8');
    expect(page.split('<details class="step leaf"').length - 1).toBe(1_000);
    expect(page.length).toBeLessThan(1_500_000);
    expect(elements(page).length).toBeLessThan(25_000);
    const ids = idsIn(page);
    expect(ids.length).toBe(new Set(ids).size);
  }, 60_000);
});
