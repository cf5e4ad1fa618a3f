import { expect, it } from 'vitest';
import { sha256 } from '../../src/core/json.js';
import { slugOf } from '../../src/engine/slug.js';
import { project } from '../support/project.js';

const hash = (query: string) => sha256(query).slice(0, 8);

it('slug-01: a query of signs that no slug can hold has one of its own all the same, never an empty one', async () => {
  const slugs = await Promise.all(['什么是量子计算', '日本語', '😀🎉', '①', '!!!'].map(slugOf));
  expect(slugs).toEqual([
    'shen-me-shi-liang-zi-ji-suan',
    'ri-ben-yu',
    `q-${hash('😀🎉')}`,
    `q-${hash('①')}`,
    `q-${hash('!!!')}`,
  ]);
  expect(new Set(slugs).size).toBe(5);
});

it('slug-01: two such queries do not share a run folder', async () => {
  const at = project({ 'pipeline.yaml': 'version: 1\nname: t\nsteps:\n  - { id: a, shell: { run: echo a } }\n' });
  const [one, other] = [await at.run({ query: '😀' }), await at.run({ query: '🎉' })];
  expect(one.dir).not.toBe(other.dir);
});

it.each([
  ['400 letters', 'x'.repeat(400)],
  ['400 Chinese characters', '量'.repeat(400)],
  ['100 000 characters', 'word '.repeat(20_000)],
])('slug-03: a query of %s makes a name of at most 48 bytes that ends in its hash', async (_, query) => {
  const slug = await slugOf(query);
  expect(Buffer.byteLength(slug)).toBeLessThanOrEqual(48);
  expect(slug).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
  expect(slug.endsWith(`-${hash(query)}`)).toBe(true);
  const at = project({ 'pipeline.yaml': 'version: 1\nname: t\nsteps:\n  - { id: a, shell: { run: echo a } }\n' });
  expect(await at.run({ query })).toMatchObject({ status: 'done' });
});
