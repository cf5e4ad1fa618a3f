import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { gardenRun, hostileRun, longRun, type Made } from '../report/runs.js';

const PROGRAM = process.env.CHROMIUM ?? '/usr/bin/chromium';
const isThere = existsSync(PROGRAM);
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const PATIENCE_MS = 30_000;

let browser: Browser;

if (!isThere) console.warn(`The report is not looked at: there is no ${PROGRAM}. CHROMIUM names another.`);

beforeAll(async () => {
  if (!isThere) return;
  const { chromium } = await import('playwright-core');
  browser = await chromium.launch({ executablePath: PROGRAM, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] });
});
afterAll(() => browser?.close());

interface Opened {
  readonly page: Page;
  /** What a browser complained of, and what it asked for beside the file. */
  readonly complaints: string[];
}

async function open({ dir }: Made, options: BrowserContextOptions = {}, hash = ''): Promise<Opened> {
  const context = await browser.newContext({ reducedMotion: 'reduce', ...options });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  const complaints: string[] = [];
  page.on('console', (message) => complaints.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('dialog', (dialog) => complaints.push(dialog.message()));
  const address = `${pathToFileURL(join(dir, 'report.html')).href}${hash}`;
  page.on('request', (request) => {
    if (request.url() !== address && !request.url().startsWith('data:')) complaints.push(`asked for ${request.url()}`);
  });
  await page.goto(address);
  return { page, complaints };
}

const isOpen = async (page: Page, id: string) =>
  (await page.locator(`[id="fold-${id}"]`).getAttribute('open')) !== null;
const overflow = (page: Page) =>
  page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth');
/** All of it, also what is not in sight. */
const unfoldAll = (page: Page) =>
  page.evaluate(`{
    document.querySelectorAll('details').forEach((one) => { one.open = true; });
    document.querySelectorAll('.step').forEach((one) => { one.style.contentVisibility = 'visible'; });
  }`);
const focused = (page: Page) => page.evaluate<string>('document.activeElement.parentElement.id');

/** In words: the rule, and where it is broken. */
async function broken(page: Page): Promise<string[]> {
  // The page's policy lets no script in: this one comes from outside of it.
  const session = await page.context().newCDPSession(page);
  await session.send('Runtime.evaluate', { expression: AXE });
  const { result } = await session.send('Runtime.evaluate', {
    expression:
      "axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] }).then(({ violations }) => JSON.stringify(violations.map(({ id, nodes }) => id + ': ' + nodes.slice(0, 4).map((one) => one.html.slice(0, 140) + ' ' + (one.any[0] || one.all[0] || one.none[0] || {}).message).join(' | '))))",
    awaitPromise: true,
    returnByValue: true,
  });
  return JSON.parse(String(result.value)) as string[];
}

describe.skipIf(!isThere)('a report in a browser', () => {
  it('opens without a complaint or a request, and leads from the graph to a step, which unfolds', async () => {
    const { page, complaints } = await open(await gardenRun());
    expect(await page.title()).toBe('waiting: birds of a garden');
    expect(await isOpen(page, 'step-outline')).toBe(false);
    await page.locator('svg.graph a[*|href="#step-outline"]').click();
    await page.locator('[id="step-outline"]').waitFor({ state: 'visible' });
    expect(await isOpen(page, 'step-outline')).toBe(true);
    await expect.poll(() => focused(page)).toBe('fold-step-outline');
    await page.getByText('reasoning', { exact: true }).first().click();
    await page.getByText('The notes may name birds.').waitFor({ state: 'visible' });
    await page.locator('[id="step-outline"] a[href="#file-outline~json"]').click();
    await page.locator('[id="file-outline~json"]').waitFor({ state: 'visible' });
    expect(await page.evaluate('document.querySelector(`img[alt="a pixel"]`).naturalWidth')).toBe(1);
    expect(complaints).toEqual([]);
  });

  it('opens at the step that an address names, in a loop too', async () => {
    const { page } = await open(await gardenRun(), {}, '#step-entries.2');
    await page.locator('[id="step-entries.2"]').waitFor({ state: 'visible' });
    expect([await isOpen(page, 'step-entries'), await isOpen(page, 'step-entries.2')]).toEqual([true, true]);
  });

  it('finds steps by what they hold, and shows those of a status', async () => {
    const { page, complaints } = await open(await gardenRun());
    const shown = () =>
      page
        .locator('#steps details.leaf:not([hidden])')
        .evaluateAll((all) => all.filter((one) => one.checkVisibility()).map((one) => one.id));
    await page.keyboard.press('/');
    await page.keyboard.type('robins sing');
    await expect.poll(() => page.locator('#found').textContent()).toBe('1 found');
    expect(await shown()).toEqual(['fold-step-outline']);
    await page.keyboard.press('Escape');
    await expect.poll(async () => (await shown()).length).toBeGreaterThan(1);
    await page.getByRole('button', { name: /^failed/ }).click();
    expect(await shown()).toEqual(['fold-step-entries.2']);
    await page.getByRole('button', { name: /^waiting/ }).click();
    expect(await shown()).toEqual(['fold-step-entries.2', 'fold-step-publish']);
    expect(complaints).toEqual([]);
  });

  it('finds what a live page has put in since', async () => {
    const { page } = await open(await gardenRun());
    await page.locator('#find').fill('goldfinch');
    await expect.poll(() => page.locator('#found').textContent()).toBe('nothing fits');
    await page.evaluate(`{
      document.querySelector('#fold-step-outline .note, #fold-step-outline .title').textContent = 'a goldfinch';
      document.documentElement.dispatchEvent(new CustomEvent('pipeline:changed'));
    }`);
    await expect.poll(() => page.locator('#found').textContent()).toBe('1 found');
  });

  it('is dark where the person likes it dark, or says so', async () => {
    const ground = (page: Page) => page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
    const made = await gardenRun();
    const { page: dark } = await open(made, { colorScheme: 'dark' });
    const { page, complaints } = await open(made, { colorScheme: 'light' });
    const light = await ground(page);
    expect(await ground(dark)).not.toBe(light);
    const theme = page.locator('#theme');
    await theme.click();
    expect(await ground(page)).toBe(light);
    await theme.click();
    expect(await ground(page)).toBe(await ground(dark));
    expect(complaints).toEqual([]);
  });

  it.each(['light', 'dark'] as const)('breaks no rule of accessibility, %s, all unfolded', async (colorScheme) => {
    const { page } = await open(await gardenRun(), { colorScheme });
    await unfoldAll(page);
    expect(await broken(page)).toEqual([]);
  });

  it('is read by keyboard alone', async () => {
    const { page } = await open(await gardenRun());
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('To the summary');
    await page.locator('[id="fold-step-outline"] > summary').focus();
    await page.keyboard.press('ArrowDown');
    expect(await focused(page)).toBe('fold-step-entries');
    await page.keyboard.press('Enter');
    expect(await isOpen(page, 'step-entries')).toBe(true);
  });

  it('fits 400 pixels, all unfolded', async () => {
    const { page } = await open(await gardenRun(), { viewport: { width: 400, height: 800 } });
    expect(await overflow(page)).toBe(0);
    await unfoldAll(page);
    expect(await overflow(page)).toBe(0);
  });

  it('is whole without its script: everything can be unfolded, and links open what they lead to', async () => {
    const { page } = await open(await gardenRun(), { javaScriptEnabled: false }, '#step-entries.2');
    await page.locator('[id="step-entries.2"]').waitFor({ state: 'visible' });
    expect(await page.locator('#find').isVisible()).toBe(false);
    await page.locator('[id="fold-step-outline"] > summary').click();
    await page.getByText('I look at the notes first.').waitFor({ state: 'visible' });
  });

  it('unfolds for paper what matters, and folds it again', async () => {
    const { page } = await open(await gardenRun());
    await page.emulateMedia({ media: 'print' });
    await page.evaluate('dispatchEvent(new Event("beforeprint"))');
    expect(await isOpen(page, 'step-entries.2')).toBe(true);
    expect(await page.locator('.bar-top').isVisible()).toBe(false);
    await page.evaluate('dispatchEvent(new Event("afterprint"))');
    expect(await isOpen(page, 'step-entries.2')).toBe(false);
  });

  it('runs and loads nothing of what a model, a file or a person wrote: all of it is text', async () => {
    const made = await hostileRun();
    const { page, complaints } = await open(made);
    await unfoldAll(page);
    await page.evaluate('[...document.images].forEach((one) => one.scrollIntoView())');
    const text = await page.evaluate<string>('document.body.innerText');
    expect(text.split("<script>document.title='owned'</script>").length).toBeGreaterThan(8);
    expect(text).toContain('\\u001b[31mred\\u001b[0m \\u202ereversed');
    expect(await page.title()).toMatch(/^failed: <script>/);
    expect(await page.evaluate('document.scripts.length')).toBe(1);
    expect(
      await page.evaluate('[...document.links].map((one) => one.protocol).filter((one) => one !== "file:")'),
    ).toEqual([]);
    expect(complaints).toEqual([]);
    expect(await overflow(page)).toBe(0);
  });

  it('holds a thousand items folded, and finds one of them', async () => {
    const { page, complaints } = await open(await longRun(1_000));
    expect(await page.evaluate<number>('document.querySelectorAll("*").length')).toBeLessThan(25_000);
    await page.getByRole('button', { name: /^failed/ }).click();
    await expect.poll(() => page.locator('#found').textContent()).toBe('9 found');
    await page.getByRole('button', { name: /^failed/ }).click();
    await page.locator('#find').fill('word-777');
    await expect.poll(() => page.locator('#found').textContent()).toBe('1 found');
    await page.locator('[id="fold-step-look.777"] > summary').click();
    await page.getByText('what word-777 means').first().waitFor({ state: 'visible' });
    expect(complaints).toEqual([]);
  });
});
