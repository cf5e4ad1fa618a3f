import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Started, seen, type Workspace, workspace } from '../support/cli.js';

const PROGRAM = process.env.CHROMIUM ?? '/usr/bin/chromium';
const isThere = existsSync(PROGRAM);
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const PATIENCE_MS = 30_000;

/** Its first step waits for the file `go-<query>`, so that a page can be seen before and after. */
const WATCHED = `version: 1
name: watched
description: Waits for a word, then writes.
inputs:
  count: { type: integer, minimum: 1, maximum: 9, description: How many lines. }
  tags: { type: array, items: { type: string }, default: [plain] }
  loud: { type: boolean, default: false }
steps:
  - id: early
    set: { count: '\${{ inputs.count }}' }
  - id: waits
    needs: [early]
    shell: { cwd: '\${{ project.dir }}', run: 'touch "ready-$PIPELINE_QUERY"; until [ -e "go-$PIPELINE_QUERY" ]; do sleep 0.05; done; echo went' }
  - id: writes
    needs: [waits]
    agent: { prompt: 'Write of \${{ query }}' }
    output: { type: object, properties: { title: { type: string } }, required: [title] }
permissions: { read: [../..], write: [../..] }
`;
const GATED = `version: 1
name: gated
steps:
  - id: draft
    shell: { command: [cat, '\${{ project.dir }}/text.txt'] }
  - id: ok
    title: Is it good?
    gate: { ask: '\${{ steps.draft.output }}', choices: [approve, 'send it back', reject] }
  - id: after
    set: { choice: '\${{ steps.ok.output.choice }}', comment: '\${{ steps.ok.output.comment }}' }
result: '\${{ steps.ok.output.choice }}'
`;
const EVIL = '<script>window.pwned=1</script><img src=x onerror="window.pwned=1"> [a](javascript:window.pwned=1)';

let place: Workspace;
let ui: Started;
let url = '';
let room = '';
let browser: Browser;
let context: BrowserContext;
let page: Page;
const ends: (() => unknown)[] = [];
/** What a browser complained of; each test leaves it empty. */
const complaints: string[] = [];

async function newPage(): Promise<Page> {
  const one = await context.newPage();
  one.setDefaultTimeout(PATIENCE_MS);
  one.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  one.on('pageerror', (error) => complaints.push(error.message));
  one.on('dialog', (dialog) => {
    complaints.push(dialog.message());
    void dialog.dismiss();
  });
  return one;
}

/** Rules of WCAG 2.2 AA and good practice, on the page as it stands. */
async function violations(): Promise<string[]> {
  await page.evaluate(AXE);
  const found = await page.evaluate('axe.run(document, { resultTypes: ["violations"] })');
  const { violations: all } = found as {
    violations: { id: string; nodes: { html: string; failureSummary: string }[] }[];
  };
  return all.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`));
}

const isTooWide = () => page.evaluate('document.documentElement.scrollWidth > innerWidth');
const status = () => page.locator('#summary .chip');

if (!isThere) console.warn(`pipeline ui is not looked at: there is no ${PROGRAM}. CHROMIUM names another.`);

describe.skipIf(!isThere)('pipeline ui in a browser', () => {
  beforeAll(async () => {
    place = workspace(undefined, (clean) => ends.push(clean));
    place.write('pipeline.config.yaml', 'detect: false\n');
    place.write('skills/watched/pipeline.yaml', WATCHED);
    place.write('skills/gated/pipeline.yaml', GATED);
    place.write('text.txt', EVIL);
    ui = place.start(['ui']);
    ends.push(() => ui.child.kill('SIGKILL'));
    ui.child.stdout?.on('data', (text: string) => {
      url += text;
    });
    await seen(() => url.endsWith('\n'));
    const { chromium } = await import('playwright-core');
    const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
    browser = await chromium.launch({ executablePath: PROGRAM, args });
    ends.push(() => browser.close());
    context = await browser.newContext({ viewport: { width: 1_100, height: 800 }, reducedMotion: 'reduce' });
    page = await newPage();
  });
  afterAll(async () => {
    for (const query of ['one', 'two', 'three']) place.write(`go-${query}`, '');
    for (const end of ends.reverse()) await end();
  });

  it('comes in by the address that was printed, and keeps no token in its own', async () => {
    await page.goto(url.trim());
    await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor();
    room = page.url();
    expect(room).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]{24}\/$/);
    expect(await page.evaluate('document.cookie')).toBe('');
    expect(await page.evaluate('history.length')).toBeLessThanOrEqual(2);
    expect(await page.getByText('There are no runs yet.').isVisible()).toBe(true);
    const stranger = await browser.newContext();
    onTestFinished(() => stranger.close());
    const response = await (await stranger.newPage()).goto(room);
    expect(response?.status()).toBe(401);
    expect(complaints.splice(0)).toEqual([]);
  });

  it('starts a skill from its form once all is right, and shows how it goes until it is done', async () => {
    await page.getByRole('main').getByRole('link', { name: 'Start a skill' }).first().click();
    await page.getByRole('link', { name: 'watched' }).click();
    await page.getByLabel('Query').fill('one');
    await page.getByLabel('count').fill('99');
    await page.getByLabel('tags').fill('[1');
    await page.getByRole('button', { name: 'Start' }).click();
    const wrong = page.getByRole('alert');
    await wrong.waitFor();
    expect(await wrong.textContent()).toMatch(/count: .*9.*\n?.*tags: This is no JSON/s);
    expect(await page.evaluate('document.activeElement.id')).toBe('ui-problems');
    expect(await page.getByLabel('count').getAttribute('aria-invalid')).toBe('true');
    expect(await violations()).toEqual([]);
    // A browser speaks of each answer that is not a success.
    expect(complaints.splice(0)).toEqual([expect.stringContaining('422 (Unprocessable Entity)')]);

    await page.getByLabel('count').fill('7');
    await page.getByLabel('tags').fill('["a", "b"]');
    await page.getByLabel('loud').check();
    await page.getByRole('button', { name: 'Start' }).click();
    await page.waitForURL(/runs\/0\/watched\/one\//);
    await seen(() => place.has('ready-one'));
    await page.locator('#steps [id][data-status="running"]').first().waitFor();
    expect(await status().textContent()).toBe('running');
    expect(await page.title()).toBe('running: one');
    await page.evaluate('window.sameDocument = true');
    await page.locator('#steps details.step > summary').first().click();
    await page.locator('#find').fill('waits');
    await page.evaluate('document.getElementById("find").scrollIntoView({ block: "center" })');
    place.write('go-one', '');
    await page.locator('#summary .chip.done').waitFor();
    expect(await page.title()).toBe('done: one');
    expect(await page.evaluate('window.sameDocument')).toBe(true);
    expect(await page.locator('#find').inputValue()).toBe('waits');
    expect(await page.evaluate('document.activeElement.id')).toBe('find');
    const { y = -1 } = (await page.locator('#find').boundingBox()) ?? {};
    expect(y).toBeGreaterThan(0);
    expect(y).toBeLessThan(800);
    expect(await page.locator('#steps details.step').first().getAttribute('open')).toBe('');
    expect(await page.locator('#steps details.step:visible').count()).toBe(1);
    await page.locator('#find').fill('');
    await page.locator('#steps details.step[data-status="done"] >> nth=2').waitFor();
    expect(await page.getByRole('navigation', { name: 'Sections' }).textContent()).toContain('Timeline');
    expect(await page.getByRole('button', { name: 'Stop' }).count()).toBe(0);
    expect(JSON.parse(place.read('skill_run/watched/one/run.json')).inputs).toEqual({
      count: 7,
      tags: ['a', 'b'],
      loud: true,
    });
    expect(await violations()).toEqual([]);
    expect(complaints.splice(0)).toEqual([]);
  });

  it('watches a run of the terminal, stops it, and goes on with it', async () => {
    await page.goto(room);
    const run = place.start(['run', 'watched', 'two', '-i', 'count=1']);
    await page.locator('tr[data-status="running"]').waitFor();
    expect(await page.locator('tr[data-status="running"]').textContent()).toMatch(/live\s+watched\/two/);
    await page.getByRole('link', { name: 'watched/two' }).click();
    await seen(() => place.has('ready-two'));
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await page.getByText('It was stopped').waitFor();
    expect((await run.ended).code).toBe(143);
    await page.locator('#summary .chip.cancelled').waitFor();
    place.write('go-two', '');
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.locator('#summary .chip.done').waitFor();
    expect(complaints.splice(0)).toEqual([]);
  });

  it('answers a gate with a comment; what a run holds is text', async () => {
    await page.goto(`${room}start/0/gated`);
    await page.getByLabel('Query').fill(EVIL);
    await page.getByRole('button', { name: 'Start' }).click();
    const gate = page.getByRole('form', { name: 'Is it good?' });
    await gate.waitFor();
    expect(await gate.locator('pre').textContent()).toBe(EVIL);
    expect(await page.locator('h1').textContent()).toBe(EVIL);
    expect(await violations()).toEqual([]);
    await gate.getByLabel('Comment').fill(EVIL);
    await page.keyboard.press('Enter');
    await gate.getByRole('button', { name: 'send it back' }).click();
    await page.locator('#summary .chip.done').waitFor();
    expect(page.url()).toContain('said=resumed');
    expect(await page.locator('#summary').textContent()).toContain('send it back');
    expect(await page.getByRole('form', { name: 'Is it good?' }).count()).toBe(0);
    await page.locator('#unfold').click();
    expect(await page.locator('#steps').textContent()).toContain(EVIL);
    await page.goto(room);
    expect(await page.locator('tbody').textContent()).toContain(EVIL);
    for (const where of (await page.evaluate('[...document.links].map((link) => link.href)')) as string[]) {
      expect(where).toMatch(/^http:\/\/127\.0\.0\.1/);
    }
    expect(await page.evaluate('window.pwned')).toBeUndefined();
    expect(complaints.splice(0)).toEqual([]);
  });

  it('finds runs as somebody types, without loading the page anew', async () => {
    await page.goto(room);
    await page.evaluate('window.sameDocument = true');
    expect(await page.locator('tbody tr').count()).toBe(3);
    await page.getByLabel('Text').fill('watched two');
    await page.locator('tbody tr').nth(1).waitFor({ state: 'detached' });
    expect(await page.locator('tbody th[scope=row] a').allTextContents()).toEqual(['watched/two']);
    expect(page.url()).toBe(`${room}?q=watched+two`);
    await page.getByLabel('Text').fill('');
    await page.getByLabel('Skill').selectOption('gated');
    await page.locator('a:has-text("gated/")').waitFor();
    await page.getByLabel('Status').selectOption('failed');
    await page.getByText('No run is like that.').waitFor();
    expect(await page.evaluate('window.sameDocument')).toBe(true);
    expect(complaints.splice(0)).toEqual([]);
  });

  it('can be used by keyboard alone', async () => {
    await page.goto(room);
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('To the content');
    await page.keyboard.press('Enter');
    expect(new URL(page.url()).hash).toBe('#ui-main');
    const reached = () => page.evaluate('document.activeElement.closest("tbody") !== null');
    for (let pressed = 0; pressed < 20 && !(await reached()); pressed++) await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/runs\//);
    expect(complaints.splice(0)).toEqual([]);
  });

  it('is whole on a narrow screen and in the dark', async () => {
    const paths = ['', 'start', 'start/0/watched', 'runs/0/watched/one/', '?status=limit', 'nothing-is-here'];
    for (const path of paths) {
      for (const [width, colorScheme] of [
        [400, 'light'],
        [1_100, 'dark'],
      ] as const) {
        await page.setViewportSize({ width, height: 800 });
        await page.emulateMedia({ colorScheme });
        await page.goto(`${room}${path}`);
        expect({ path, width, isTooWide: await isTooWide() }).toEqual({ path, width, isTooWide: false });
        expect({ path, colorScheme, violations: await violations() }).toEqual({ path, colorScheme, violations: [] });
        const ground = String(await page.evaluate('getComputedStyle(document.body).backgroundColor'));
        const [red = 0] = ground.match(/\d+/g)?.map(Number) ?? [];
        expect({ path, colorScheme, isDark: red < 100 }).toEqual({ path, colorScheme, isDark: colorScheme === 'dark' });
      }
    }
    await page.setViewportSize({ width: 1_100, height: 800 });
    await page.emulateMedia({ colorScheme: 'light' });
    expect(complaints.splice(0)).toEqual(Array(2).fill(expect.stringContaining('404 (Not Found)')));
  });

  it('gives nothing to a page of another server on this machine, and does nothing for it', async () => {
    const run = place.start(['run', 'watched', 'three', '-i', 'count=1']);
    await seen(() => place.has('ready-three'));
    await page.goto(`${room}runs/0/watched/three/`);
    const key = await page.locator('input[name=key]').first().inputValue();
    const heard: string[] = [];
    const other = createServer((request, response) => {
      heard.push(`${request.url} ${request.headers.cookie ?? ''}`);
      response.setHeader('content-type', 'text/html');
      response.end(
        `<iframe name="in"></iframe><form method="post" target="in" action="${room}runs/0/watched/three/.stop"><input name="key" value="${key}"></form>`,
      );
    });
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void other.close());
    const foreign = await newPage();
    onTestFinished(() => foreign.close());
    await foreign.goto(`http://127.0.0.1:${(other.address() as AddressInfo).port}/`);
    const answers = await foreign.evaluate(`(async () => {
      const to = ${JSON.stringify(room)};
      const ask = (init) => fetch(to, { credentials: 'include', ...init }).then((one) => one.type, () => 'refused');
      const events = new EventSource(to + '.events', { withCredentials: true });
      const told = new Promise((resolve) => {
        events.onmessage = () => resolve('told');
        events.onerror = () => resolve('refused');
      });
      const loaded = new Promise((resolve) => document.querySelector('iframe').addEventListener('load', resolve));
      document.querySelector('form').submit();
      await loaded;
      return [await ask({}), await ask({ method: 'POST' }), await told];
    })()`);
    expect(answers).toEqual(['refused', 'refused', 'refused']);
    expect(heard.join()).not.toContain('pipeline_ui');
    expect(JSON.parse(place.read('skill_run/watched/three/run.json')).status).toBe('running');
    place.write('go-three', '');
    expect((await run.ended).code).toBe(0);
    complaints.splice(0);
  });

  it('runs no script but its own', async () => {
    const own = await newPage();
    onTestFinished(() => own.close());
    await own.goto(`${room}runs/0/watched/one/`);
    const ran = await own.evaluate(`(async () => {
      const script = document.createElement('script');
      script.textContent = 'window.inline = 1';
      const link = document.createElement('a');
      link.href = 'javascript:void(window.link = 1)';
      const picture = document.createElement('img');
      picture.setAttribute('onload', 'window.handler = 1');
      picture.setAttribute('onerror', 'window.handler = 1');
      const loaded = new Promise((resolve) => ['load', 'error'].forEach((name) => picture.addEventListener(name, resolve)));
      picture.src = 'data:,';
      document.body.append(script, link, picture);
      link.click();
      await loaded;
      await new Promise((resolve) => setTimeout(resolve));
      return ['inline', 'link', 'handler'].filter((name) => name in window);
    })()`);
    expect(ran).toEqual([]);
    expect(complaints.splice(0).length).toBeGreaterThan(0);
  });

  it('says so when the ui has ended', async () => {
    await page.goto(room);
    await page.locator('#ui-link[data-state=on]').waitFor();
    ui.child.kill('SIGTERM');
    expect((await ui.ended).code).toBe(0);
    await page.locator('#ui-link[data-state=off]').waitFor();
    complaints.splice(0);
  });
});
