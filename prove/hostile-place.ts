/** The folders of a step among folders of others: links out of them in all places that a tool looks at, a canary in every file that it may not see. */
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Place, place } from '../test/tools/context.js';

/** In every file that no tool may read. */
export const CANARY = 'canary-8d02';
/** The name of a file that is only outside. */
export const FOREIGN = 'foreign-51ab';
/** Never read or written, though they lie inside. */
export const SECRET_FILES = ['.env', '.env.local', '.ssh/config', '.npmrc', '.git/config', 'id_ed25519', 'server.pem'];

export interface HostilePlace {
  readonly at: Place;
  /** Where most of the links lead. */
  readonly outside: string;
}

export function hostilePlace(): HostilePlace {
  const at = place();
  onTestFinished(() => rmSync(at.base, { recursive: true, force: true }));
  const outside = join(at.base, 'outside');
  for (const dir of foreignFolders(at)) {
    mkdirSync(dir, { recursive: true });
    for (const name of ['file', FOREIGN, 'new.txt']) writeFileSync(join(dir, name), CANARY);
  }
  for (const root of [at.work, at.run, at.skill]) {
    mkdirSync(join(root, 'dir/é'), { recursive: true });
    writeFileSync(join(root, 'dir/file'), 'inside');
    symlinkSync(outside, join(root, 'out'));
    symlinkSync('../../../../../../../outside', join(root, 'up'));
    symlinkSync(join(outside, 'file'), join(root, 'leak'));
    symlinkSync(join(outside, 'none'), join(root, 'dangling'));
    symlinkSync('.', join(root, 'self'));
    symlinkSync('round', join(root, 'round'));
    symlinkSync(outside, join(root, 'dir/out'));
    symlinkSync(at.base, join(root, 'dir/base'));
    for (const name of SECRET_FILES) {
      mkdirSync(dirname(join(root, name)), { recursive: true });
      writeFileSync(join(root, name), CANARY);
    }
  }
  return { at, outside };
}

const foreignFolders = ({ base, work, project }: Place) => [
  join(base, 'outside'),
  join(base, 'outside/dir'),
  `${work}-b`,
  join(project, 'src'),
];

/** All that is there outside, as one text to compare. */
export function outsideOf(at: Place): string {
  const seen = foreignFolders(at).flatMap((dir) => readdirSync(dir).map((name) => join(dir, name)));
  const secret = [at.work, at.run, at.skill].flatMap((root) => SECRET_FILES.map((name) => join(root, name)));
  const text = (path: string) => (statSync(path).isFile() ? readFileSync(path, 'utf8') : 'folder');
  const listed = [at.base, at.project, dirname(at.work)].map((dir) => readdirSync(dir));
  return JSON.stringify([listed, [...seen, ...secret].map((path) => [path, text(path)])]);
}
