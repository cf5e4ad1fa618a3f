/** A real terminal: tmux, in which a test types and sees what a person would. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { seen } from './cli.js';

export const HAS_TMUX = spawnSync('tmux', ['-V']).status === 0;

export interface Terminal {
  /** Keys by their tmux names: `Enter`, `Up`, `C-c`; other text as it is. */
  keys(...keys: readonly string[]): void;
  /** As a terminal does it that marks what is pasted. */
  paste(text: string): void;
  /** Waits until the screen matches; gives all of it. */
  sees(what: RegExp | string): Promise<string>;
}

/** @param line bash runs it */
export function terminal(line: string, cwd: string, env: Readonly<Record<string, string>>): Terminal {
  const dir = mkdtempSync(join(tmpdir(), 'pipeline-tmux-'));
  const tmux = (...args: readonly string[]) => {
    const ran = spawnSync('tmux', ['-S', join(dir, 'socket'), '-f', '/dev/null', ...args], {
      encoding: 'utf8',
      env: { ...env, TERM: 'xterm-256color', LC_ALL: 'C.UTF-8' },
    });
    return ran.stdout;
  };
  onTestFinished(() => {
    tmux('kill-server');
    rmSync(dir, { recursive: true, force: true });
  });
  tmux(
    '-u',
    'new-session',
    '-d',
    '-s',
    't',
    '-x',
    '110',
    '-y',
    '60',
    '-c',
    cwd,
    `bash --noprofile --norc -c '${line}; echo left $?; cat'`,
  );
  const screen = () => tmux('capture-pane', '-p', '-t', 't', '-S', '-500');
  return {
    keys: (...keys) => void tmux('send-keys', '-t', 't', ...keys),
    paste(text) {
      tmux('set-buffer', '-b', 'p', text);
      tmux('paste-buffer', '-p', '-b', 'p', '-t', 't');
    },
    async sees(what) {
      const look = () => {
        const shown = screen();
        return (typeof what === 'string' ? shown.includes(what) : what.test(shown)) && shown;
      };
      return seen(look).catch(() => {
        throw new Error(`${what} was never on the screen:\n${screen().trimEnd()}`);
      });
    },
  };
}
