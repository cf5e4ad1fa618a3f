/** Tells an image by the ending of its name, held against its first bytes. */
import type { Image } from '../core/model.js';

type MediaType = Image['mediaType'];

const ENDINGS: Readonly<Record<string, MediaType>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
};

/** In hex. */
const FIRST_BYTES: readonly (readonly [MediaType, RegExp])[] = [
  ['image/png', /^89504e470d0a1a0a/],
  ['image/jpeg', /^ffd8ff/],
  ['image/gif', /^47494638(37|39)61/],
  ['image/webp', /^52494646.{8}57454250/],
];

/** @param name may hold `${{ }}` before its ending */
export function imageNamed(name: string): MediaType | undefined {
  return ENDINGS[/\.(\w+)$/.exec(name)?.[1]?.toLowerCase() ?? ''];
}

export function imageIn(bytes: Buffer): MediaType | undefined {
  const start = bytes.subarray(0, 16).toString('hex');
  return FIRST_BYTES.find(([, pattern]) => pattern.test(start))?.[0];
}

/** An ending of its name that tells what it is. */
export function endingOf(type: MediaType): string {
  return type === 'image/jpeg' ? 'jpg' : type.slice('image/'.length);
}
