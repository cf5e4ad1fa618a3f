/** A picture of text, with as few bytes as it needs: its colours as a palette of at most 256. */
import { readFileSync, writeFileSync } from 'node:fs';
import { crc32, deflateSync, inflateSync } from 'node:zlib';

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** In place; a file that is no 8-bit RGB or RGBA picture stays as it is. */
export function makeSmaller(path) {
  const file = readFileSync(path);
  const chunks = chunksOf(file);
  const head = chunks.find(({ type }) => type === 'IHDR').data;
  const [width, height, depth, kind, interlace] = [
    head.readUInt32BE(0),
    head.readUInt32BE(4),
    head[8],
    head[9],
    head[12],
  ];
  const channels = { 2: 3, 6: 4 }[kind];
  if (depth !== 8 || channels === undefined || interlace !== 0) return;
  const packed = Buffer.concat(chunks.filter(({ type }) => type === 'IDAT').map(({ data }) => data));
  const pixels = unfiltered(inflateSync(packed), width, height, channels);
  const { indices, palette } = indexed(pixels, width * height, channels);
  const rows = Buffer.alloc(height * (width + 1));
  for (let y = 0; y < height; y++) indices.copy(rows, y * (width + 1) + 1, y * width, (y + 1) * width);
  const newHead = Buffer.from(head);
  newHead[9] = 3;
  const smaller = Buffer.concat([
    SIGNATURE,
    chunk('IHDR', newHead),
    chunk('PLTE', Buffer.from(palette.flatMap((color) => color.slice(0, 3)))),
    chunk('tRNS', Buffer.from(palette.map(([, , , a]) => a))),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
  if (smaller.length < file.length) writeFileSync(path, smaller);
}

function chunksOf(file) {
  const chunks = [];
  for (let at = SIGNATURE.length; at < file.length; ) {
    const length = file.readUInt32BE(at);
    chunks.push({ type: file.toString('latin1', at + 4, at + 8), data: file.subarray(at + 8, at + 8 + length) });
    at += length + 12;
  }
  return chunks;
}

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** The rows as the PNG standard filters them, section 9. */
function unfiltered(raw, width, height, channels) {
  const stride = width * channels;
  const pixels = Buffer.alloc(stride * height);
  for (let y = 0; y < height; y++) {
    const filter = raw[y * (stride + 1)];
    for (let x = 0; x < stride; x++) {
      const left = x >= channels ? pixels[y * stride + x - channels] : 0;
      const up = y > 0 ? pixels[(y - 1) * stride + x] : 0;
      const corner = x >= channels && y > 0 ? pixels[(y - 1) * stride + x - channels] : 0;
      const guess = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter];
      pixels[y * stride + x] = (raw[y * (stride + 1) + 1 + x] + guess) & 0xff;
    }
  }
  return pixels;
}

function paeth(left, up, corner) {
  const [a, b, c] = [Math.abs(up - corner), Math.abs(left - corner), Math.abs(left + up - 2 * corner)];
  if (a <= b && a <= c) return left;
  return b <= c ? up : corner;
}

/** The most frequent colours; each other one becomes the nearest of them. */
function indexed(pixels, count, channels) {
  const keys = new Uint32Array(count);
  const uses = new Map();
  for (let at = 0; at < count; at++) {
    const [r, g, b] = pixels.subarray(at * channels, at * channels + 3);
    const a = channels === 4 ? pixels[at * channels + 3] : 255;
    const key = (r | (g << 8) | (b << 16) | (a << 24)) >>> 0;
    keys[at] = key;
    uses.set(key, (uses.get(key) ?? 0) + 1);
  }
  const bySize = [...uses].sort(([, a], [, b]) => b - a).map(([key]) => key);
  const palette = bySize.slice(0, 256).map((key) => [key & 0xff, (key >> 8) & 0xff, (key >> 16) & 0xff, key >>> 24]);
  const indexOf = new Map(bySize.slice(0, 256).map((key, at) => [key, at]));
  for (const key of bySize.slice(256)) indexOf.set(key, nearest(key, palette));
  const indices = Buffer.alloc(count);
  for (let at = 0; at < count; at++) indices[at] = indexOf.get(keys[at]);
  return { indices, palette };
}

function nearest(key, palette) {
  const own = [key & 0xff, (key >> 8) & 0xff, (key >> 16) & 0xff, key >>> 24];
  let best = 0;
  let least = Number.POSITIVE_INFINITY;
  for (const [at, color] of palette.entries()) {
    const distance = color.reduce((sum, value, channel) => sum + (value - own[channel]) ** 2, 0);
    if (distance < least) [best, least] = [at, distance];
  }
  return best;
}
