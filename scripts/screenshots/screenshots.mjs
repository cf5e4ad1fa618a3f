/** Takes the pictures of the docs: `npm run screenshots`, or `npm run screenshots -- <name> …` for some. Needs tmux and Chromium. */
import { mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openBrowser } from './browser.mjs';
import { openRoom } from './room.mjs';
import { makeSmaller } from './smaller-png.mjs';
import { openTerminal } from './terminal.mjs';

const IMAGES = fileURLToPath(new URL('../../docs/images/', import.meta.url));
const SHOTS = new URL('./shots/', import.meta.url);
const MOST_BYTES = 150_000;

/**
 * A file in shots/ exports `take(stage)`, which makes one picture or more. What it opens is closed when it is over.
 * - `stage.room(options)`: a project of its own, in which `pipeline` is the built program (room.mjs)
 * - `stage.terminal({ room, columns, rows, title })`: a real terminal (terminal.mjs)
 * - `stage.page({ width, height, dark })`: a page of the browser, as playwright has it
 * - `stage.save(name, picture)`: docs/images/<name>.png
 */
const wanted = process.argv.slice(2);
const names = readdirSync(SHOTS)
  .filter((file) => file.endsWith('.mjs'))
  .map((file) => file.slice(0, -'.mjs'.length))
  .filter((name) => wanted.length === 0 || wanted.includes(name));
const unknown = wanted.filter((name) => !names.includes(name));
if (unknown.length > 0) {
  console.error(`There is no shot ${unknown.join(', ')}; there are ${readdirSync(SHOTS).join(', ')}.`);
  process.exit(2);
}

mkdirSync(IMAGES, { recursive: true });
const browser = await openBrowser();
let tooLarge = 0;
try {
  for (const name of names) {
    const opened = [];
    const closing = (one) => {
      opened.unshift(one);
      return one;
    };
    const stage = {
      room: async (options) => closing(await openRoom(options)),
      terminal: async (options) => closing(await openTerminal({ ...options, browser })),
      page: async (options) => closing(await browser.page(options)),
      async save(file, picture) {
        const path = join(IMAGES, `${file}.png`);
        await picture(path);
        makeSmaller(path);
        const { size } = statSync(path);
        if (size > MOST_BYTES) tooLarge++;
        console.log(`docs/images/${file}.png  ${Math.round(size / 1_000)} KB${size > MOST_BYTES ? '  too large' : ''}`);
      },
    };
    const { take } = await import(new URL(`${name}.mjs`, SHOTS).href);
    try {
      await take(stage);
    } finally {
      for (const one of opened) await one.close();
    }
  }
} finally {
  await browser.close();
}
process.exitCode = tooLarge > 0 ? 1 : 0;
