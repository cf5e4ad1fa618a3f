/** pipeline ui: the runs of this project, or of those that are named, as pages in a browser, until it is told to end. */
import { existsSync, mkdtempSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Fault } from '../core/faults.js';
import { plainText } from '../core/plain-text.js';
import { openOnDesktop } from '../machine.js';
import { openProject } from '../run.js';
import { here, printJson, printResult, say } from './output.js';

export interface UiOptions {
  readonly port: number;
  readonly open?: boolean;
  readonly json?: boolean;
  readonly detect: boolean;
  readonly skillsDir: readonly string[];
}

/** @param folders of projects, or within them */
export async function uiCommand(folders: readonly string[], options: UiOptions): Promise<void> {
  const { port, open, json, detect, skillsDir } = options;
  const projectDirs = [...new Set((folders.length > 0 ? folders : ['.']).map(projectAt))];
  const skillsDirs = skillsDir.map((dir) => resolve(dir));
  const { openUi } = await import('../ui/serve.js');
  const told = toldToEnd();
  const ui = await openUi({ projectDirs, port, env: process.env, skillsDirs, detect });
  if (json) printJson({ url: ui.url, port: ui.port, projects: projectDirs });
  else {
    printResult(ui.url);
    say(`Runs of ${projectDirs.map(nameOf).join(', ')}, for this machine only. Ctrl-C ends these pages; runs go on.`);
  }
  const desk = open ? await openInBrowser(ui.url) : undefined;
  await told;
  desk?.();
  await ui.close();
}

function nameOf(dir: string): string {
  const name = here(dir);
  return name === '.' ? 'this project' : plainText(name);
}

function projectAt(folder: string): string {
  if (!existsSync(folder) || !statSync(folder).isDirectory()) {
    throw new Fault('input.unknown', `There is no folder ${folder}.`, {
      hint: 'pipeline ui shows the runs of the project here; others are named by their folders.',
    });
  }
  // As the processes of runs see it: one project has one name.
  return openProject({ cwd: realpathSync(folder), env: process.env }).dir;
}

/** To be ended is how it ends: no failure. */
function toldToEnd(): Promise<void> {
  return new Promise((end) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => end());
  });
}

/**
 * By a page that goes on to the address: everybody on this machine can read the arguments of a program, but not this file.
 * @returns what removes it
 */
async function openInBrowser(url: string): Promise<() => void> {
  const dir = mkdtempSync(join(tmpdir(), 'pipeline-ui-'));
  const file = join(dir, 'open.html');
  const page = `<!doctype html><meta charset="utf-8"><title>pipeline</title><meta http-equiv="refresh" content="0;url=${url}">`;
  writeFileSync(file, page, { mode: 0o600, flag: 'wx' });
  const opened = await openOnDesktop(file, process.env);
  if (opened.type === 'no') say(`not opened: ${opened.reason}. Open the address above in a browser.`);
  return () => rmSync(dir, { recursive: true, force: true });
}
