/** The name of a run's folder: its query in kebab case. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import slugify from 'slugify';
import { Fault } from '../core/faults.js';
import { sha256 } from '../core/json.js';

const MAX_CHARACTERS = 48;
/** More of a query cannot show in a slug: the rest is only hashed. */
const MAX_READ = 200;
const MAX_RUNS = 10_000;
/** Names beside the runs in `skill_run/<skill>/`, and names some systems keep for devices. */
const RESERVED = /^(latest|pipeline\.log|con|prn|aux|nul|com\d|lpt\d)$/;

/** ASCII letters, digits and single dashes; 1 to 48 characters; the same for the same query. */
export async function slugOf(query: string): Promise<string> {
  const start = [...query.slice(0, MAX_READ * 2)].slice(0, MAX_READ).join('');
  const words = (await romanized(start)).replace(/['’`]/g, '').replace(/[^\p{L}\p{N}\p{M}]+/gu, ' ');
  const slug = slugify(words, { lower: true, strict: true, trim: true }).replace(/-+/g, '-').replace(/^-|-$/g, '');
  const whole = start.length === query.length && slug.length <= MAX_CHARACTERS;
  if (whole && slug !== '' && !RESERVED.test(slug)) return slug;
  const hash = sha256(query).slice(0, 8);
  return `${cut(slug, MAX_CHARACTERS - hash.length - 1) || 'q'}-${hash}`;
}

/**
 * Makes the folder `slug`, or else `slug-2`, `slug-3`, …, in `dir` and returns its name: two runs never get the same.
 * @param isLeft whether a folder that is there is no run, and nobody's
 */
export async function freeSlug(dir: string, slug: string, isLeft: (folder: string) => boolean): Promise<string> {
  try {
    await mkdir(dir, { recursive: true, mode: 0o700 });
    for (let n = 1; n <= MAX_RUNS; n++) {
      const name = n === 1 ? slug : `${slug}-${n}`;
      if ((await madeFolder(join(dir, name))) || isLeft(join(dir, name))) return name;
    }
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new Fault('config.invalid', `No run folder can be made in ${dir}: ${reason}.`, {
      hint: 'Check that it is a folder you may write to.',
    });
  }
  throw new Fault('config.invalid', `${dir} holds ${MAX_RUNS} runs of ${slug}.`, {
    hint: 'Remove runs you no longer need.',
  });
}

async function romanized(text: string): Promise<string> {
  if (!/\p{Script=Han}/u.test(text)) return text;
  const { pinyin } = await import('pinyin-pro');
  return pinyin(text, { toneType: 'none', type: 'array', nonZh: 'consecutive' }).join(' ');
}

/** At a word's end, unless that would lose more than half. */
function cut(slug: string, characters: number): string {
  if (slug.length <= characters) return slug;
  const end = slug.lastIndexOf('-', characters);
  return slug.slice(0, end > characters / 2 ? end : characters).replace(/-+$/, '');
}

async function madeFolder(path: string): Promise<boolean> {
  try {
    await mkdir(path, { mode: 0o700 });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}
