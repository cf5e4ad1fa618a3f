/** A real terminal of a fixed size: tmux, in which a shot types, waits for what it sees, and takes a picture. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { terminalPage } from './terminal-page.mjs';

const POLL_MS = 20;
const MOST_WAIT_MS = 15_000;

/** @param title of the window in the picture */
export async function openTerminal({ browser, room, columns = 100, rows = 30, title = 'birds', env = {} }) {
  const socketDir = mkdtempSync(join(tmpdir(), 'pipeline-shots-tmux-'));
  const tmux = (...args) => {
    const ran = spawnSync('tmux', ['-S', join(socketDir, 'socket'), '-f', '/dev/null', ...args], {
      encoding: 'utf8',
      env: { ...room.env, ...env, TERM: 'xterm-256color' },
    });
    if (ran.error) throw new Error(`tmux cannot be started: ${ran.error.message}`);
    return ran.stdout;
  };
  const start = join(socketDir, 'start');
  writeFileSync(start, String.raw`PS1='\[\e[32m\]$\[\e[0m\] '`);
  const size = ['-x', String(columns), '-y', String(rows)];
  tmux('-u', 'new-session', '-d', '-s', 't', ...size, '-c', room.dir, `bash --noprofile --rcfile ${start}`);
  tmux('set-option', '-g', 'status', 'off');
  tmux('resize-window', '-t', 't', ...size);
  const text = () => tmux('capture-pane', '-p', '-t', 't', '-S', '-500');
  const colored = () => tmux('capture-pane', '-e', '-p', '-t', 't');
  const sees = async (what, mostMs = MOST_WAIT_MS) => {
    const end = Date.now() + mostMs;
    for (;;) {
      const shown = text();
      if (typeof what === 'string' ? shown.includes(what) : what.test(shown)) return shown;
      if (Date.now() > end) throw new Error(`${what} was never on the screen:\n${shown.trimEnd()}`);
      await sleep(POLL_MS);
    }
  };
  await sees('$');
  return {
    sees,
    text,
    resize: (wide, high = rows) => void tmux('resize-window', '-t', 't', '-x', String(wide), '-y', String(high)),
    /** Keys by their tmux names: `Enter`, `Up`, `C-c`. */
    press: (...keys) => void tmux('send-keys', '-t', 't', ...keys),
    /** As it is, with Enter behind it. */
    type(line) {
      tmux('send-keys', '-t', 't', '-l', line);
      tmux('send-keys', '-t', 't', 'Enter');
    },
    /** Ctrl-L, for a prompt that knows it: what was there before is gone. */
    async wipe() {
      tmux('send-keys', '-t', 't', 'C-l');
      const begun = Date.now();
      while (tmux('capture-pane', '-p', '-t', 't').trim().length > 2 && Date.now() - begun < MOST_WAIT_MS)
        await sleep(POLL_MS);
      tmux('clear-history', '-t', 't');
    },
    /** For `stage.save`: what the terminal shows now, without the empty rows at the end. */
    picture() {
      const ansi = colored();
      return async (path) => {
        const page = await browser.page({ width: 1_400, height: 900, scale: columns > 60 ? 1.5 : 1.75 });
        try {
          await page.setContent(terminalPage(ansi, { columns, title }));
          await page.locator('main').screenshot({ path, omitBackground: true });
        } finally {
          await page.context().close();
        }
      };
    },
    close() {
      tmux('kill-server');
      rmSync(socketDir, { recursive: true, force: true });
    },
  };
}
