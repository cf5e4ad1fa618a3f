/** Paths that lead out of what a step may use, in every way that is known to us. */
import { join } from 'node:path';
import type { Place } from '../test/tools/context.js';
import { FOREIGN, SECRET_FILES } from './hostile-place.js';
import { randomFrom } from './random.js';

export interface Escape {
  readonly path: string;
  /** It is there for every user of the machine: a tool that writes would harm it, if it could. */
  readonly isOfSystem: boolean;
}

const SYSTEM = ['/etc/passwd', '//etc/passwd', '/proc/self/environ', '/dev/stdin', '/proc/self/fd/0', '/etc/hosts'];
/** Ways to say the same folder. */
const DETOURS = ['', './', 'dir/../', 'dir/é/../../', './/./', 'self/', 'self/self/', 'dir/./../', 'none/../'];
const LINKS = ['out', 'up', 'dir/out', 'dir/base', 'dir/base/outside', 'self/out', 'out/dir'];
const TARGETS = ['file', FOREIGN, 'new.txt', 'fresh.txt', 'dir/file', 'dir/../file', 'fresh/deep/x'];
const FORMS: readonly ((path: string) => string)[] = [
  (path) => `~/${path}`,
  (path) => `~root/${path}`,
  (path) => `file:///${path}`,
  (path) => `FILE://${path}`,
  (path) => path.replaceAll('/', '\\'),
  (path) => `..\\..\\${path}`,
  (path) => `${path}\0`,
  (path) => `dir/file\0/../${path}`,
];

/** The same seed gives the same paths; each of them leads out, or names what nobody may touch. */
export function escapes(count: number, seed: number, at: Place): Escape[] {
  const random = randomFrom(seed);
  const pick = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)] as T;
  const up = (from: number) => '../'.repeat(from + Math.floor(random() * 12));
  const ways: readonly (() => string)[] = [
    // Six folders lie between the work folder and the project, eight between it and what is beside the project.
    () => `${pick(DETOURS)}${up(8)}${pick(TARGETS)}`,
    () => `${pick(DETOURS)}../../../../../../../outside/${pick(TARGETS)}`,
    () => `${at.work}/${pick(DETOURS)}../../../../../../src/${pick(TARGETS)}`,
    () => `${at.run}/../../../src/${pick(TARGETS)}`,
    () => `${pick(DETOURS)}${pick(LINKS)}/${pick(TARGETS)}`,
    () => `${pick([at.work, at.run, at.skill])}/${pick(LINKS)}/${pick(TARGETS)}`,
    () => `${pick(DETOURS)}${pick(['leak', 'dangling', 'round', 'leak/x', 'round/x', 'dangling/x'])}`,
    () => join(pick([at.base, `${at.work}-b`, at.project, join(at.base, 'outside')]), pick(TARGETS)),
    () => `${at.work}-b/${pick(TARGETS)}`,
    () => `${pick(DETOURS)}${pick(SECRET_FILES)}`,
    () => `${at.work}/${pick(SECRET_FILES)}`,
    () => pick(FORMS)(`${up(7)}outside/${pick(TARGETS)}`),
  ];
  const fixed = SYSTEM.map((path) => ({ path, isOfSystem: true }));
  const made = new Map<string, Escape>(fixed.map((one) => [one.path, one]));
  for (let way = 0; made.size < count; way++) {
    const path = (ways[way % ways.length] as () => string)();
    made.set(path, { path, isOfSystem: false });
  }
  return [...made.values()].slice(0, count);
}
