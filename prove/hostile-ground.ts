/** A project full of hostile skills, with traps around it that tell whether one of them had an effect. */
import { chmodSync, lstatSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { type AtEnd, type Ran, type Workspace, workspace } from '../test/support/cli.js';
import { type Make, makeHostileSkills, type Traps } from '../test/support/hostile-skills.js';

/** Stands in a file outside. */
const SECRET = 'canary-b71f0c';
/** A process that wants more is ended by Node. */
const BOUNDED = { NODE_OPTIONS: '--max-old-space-size=512' };
const LIMIT_MS = 15_000;
/** What a skill could have started; in their places stand programs that spring the trap. */
const PROGRAMS = ['sh', 'bash', 'node', 'npx', 'npm', 'git', 'curl', 'python3', 'touch', 'bwrap', 'cat', 'env'];
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const OBEYED = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

export interface HostileGround {
  readonly place: Workspace;
  /** Without skills. */
  readonly other: Workspace;
  readonly traps: Traps;
  /** Runs a command in one of the two. */
  run(at: Workspace, args: readonly string[]): Promise<Ran>;
  /** What a command should not have done, said or been; empty when it is well. */
  harm(ran: Ran, exits: readonly number[]): string[];
}

export async function hostileGround(skills: Readonly<Record<string, Make>>, atEnd: AtEnd): Promise<HostileGround> {
  const place = workspace(undefined, atEnd);
  const other = workspace(undefined, atEnd);
  const base = dirname(place.dir);
  let asked = 0;
  const server = createServer((_, response) => {
    asked++;
    response.end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(() => void server.close());
  const secretDir = join(base, 'secret');
  mkdirSync(secretDir);
  // In the form of a skill, so that whoever reads it also shows it.
  writeFileSync(join(secretDir, 'secret.txt'), `---\nname: x\ndescription: ${SECRET}\n---\n${SECRET}\n`);
  writeFileSync(join(secretDir, 'secret.json'), JSON.stringify({ title: SECRET, enum: [SECRET] }));
  const traps: Traps = {
    canary: join(base, 'PWNED'),
    secret: join(secretDir, 'secret.txt'),
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  };
  mkdirSync(join(base, 'bin'));
  for (const name of PROGRAMS) {
    writeFileSync(join(base, 'bin', name), `#!/bin/sh\n: > ${traps.canary}\n`);
    chmodSync(join(base, 'bin', name), 0o755);
  }
  makeHostileSkills(join(place.dir, 'skills'), traps, skills);
  const all = () => [base, dirname(other.dir)].flatMap(everyEntry);
  const before = all();
  return {
    place,
    other,
    traps,
    async run(at, args) {
      const { child, ended } = at.start(args, { ...BOUNDED, PATH: join(base, 'bin') });
      const late = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS);
      return ended.finally(() => clearTimeout(late));
    },
    harm({ code, signal, stdout, stderr }, exits) {
      const said = stdout + stderr;
      const now = all();
      const changed = [
        ...now.filter((entry) => !before.includes(entry)),
        ...before.filter((entry) => !now.includes(entry)),
      ];
      return [
        ...(code !== null && exits.includes(code) ? [] : [`ended with ${signal ?? code}: ${stderr.slice(-300)}`]),
        ...(said.includes(SECRET) || said.includes('root:x:') ? ['told a secret from outside'] : []),
        ...(said.includes('A bug of ours') ? [`fell: ${stderr.slice(-300)}`] : []),
        ...(OBEYED.test(stderr) ? ['sent control characters to the terminal'] : []),
        ...(asked > 0 ? ['asked the network'] : []),
        ...(changed.length > 0 ? [`changed ${changed.slice(0, 5)}`] : []),
      ];
    },
  };
}

/** Every entry with its size and the time of its last change, links as they are. */
function everyEntry(root: string): string[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' }).map((entry) => {
    const stat = lstatSync(join(root, entry));
    return `${join(root, entry)} ${stat.isDirectory() ? '' : `${stat.size} ${stat.mtimeMs}`}`;
  });
}
