/** Skills that were made to harm, met by every command that only looks. */
import { existsSync, lstatSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import matter from 'gray-matter';
import { onTestFinished } from 'vitest';
import { HOSTILE, HOSTILE_NAMES, type Make } from '../../test/support/hostile-skills.js';
import { VARIANTS } from '../../test/support/hostile-variants.js';
import { hostileGround } from '../hostile-ground.js';
import { randomFrom } from '../random.js';
import type { Row, Size } from '../row.js';
import { trials } from '../trials.js';

const AT_ONCE = 3;
/** Always among those that are tried; the others change with the seed. */
const FIRST = [
  'js-front-matter',
  'inline-command',
  'yaml-bomb',
  'skill-is-a-link-out',
  'skill-is-a-pipe',
  'runs-at-once',
];
/** Meet all skills. */
const TOGETHER = ['list', 'list --json', 'check', 'check --strict --format sarif', 'skills list', 'skills check'];
/** Meet one. */
const ALONE = ['show', 'graph', 'run --dry-run'];
const LOOKED = [0, 2];
/** Nobody is there who could agree. */
const REFUSED = [1, 2, 4];

export const row: Row = {
  name: 'hostile',
  promise: 'hostile skills × list, check, show, graph, dry-run, skills add without consent',
  target: '0 effects: nothing executed, asked, told, changed; each ends',
  async prove(size, { seed }) {
    const skills = chosen(size, seed);
    const { place, other, run, harm } = await hostileGround(skills, onTestFinished);
    const names = [...Object.keys(skills), ...(size === 'large' ? HOSTILE_NAMES : HOSTILE_NAMES.slice(0, 2))];
    const looks = [
      ...TOGETHER.map((command) => ({ command, args: command.split(' ') })),
      ...names.flatMap((name) =>
        ALONE.map((command) => {
          const query = command.startsWith('run') ? ['a query'] : [];
          return { command: `${command} ${name}`, args: [...command.split(' '), '--', name, ...query] };
        }),
      ),
    ];
    const alone = size === 'large' ? Object.keys(skills) : FIRST;
    const adds = [place.dir, ...alone.map((name) => join(place.dir, 'skills', name))];
    const figure = await trials(looks.length + adds.length, AT_ONCE, async (at) => {
      const look = looks[at];
      const from = adds[at - looks.length] as string;
      const ran = look ? await run(place, look.args) : await run(other, ['skills', 'add', '--', from]);
      const faults = harm(ran, look ? LOOKED : REFUSED);
      return faults.map((fault) => `${JSON.stringify(look?.command ?? `skills add ${from}`)}: ${fault}`);
    });
    return { ...figure, also: `${Object.keys(skills).length} skills` };
  },
  bare: {
    of: 'their SKILL.md read by gray-matter',
    async prove(size, { seed }) {
      const skills = chosen(size, seed);
      const { place, traps } = await hostileGround(skills, onTestFinished);
      const names = Object.keys(skills);
      return trials(names.length, 1, async (at) => {
        const file = join(place.dir, 'skills', names[at] as string, 'SKILL.md');
        const stat = lstatSync(file, { throwIfNoEntry: false });
        if (!stat?.isFile() || stat.size > 1_000_000) return undefined;
        try {
          matter(readFileSync(file, 'utf8'));
        } catch {
          // What it does not take executes nothing more.
        }
        const isExecuted = existsSync(traps.canary);
        rmSync(traps.canary, { force: true });
        return isExecuted ? `${names[at]} was executed` : undefined;
      });
    },
  },
  guards: [
    {
      says: 'gray-matter never sees a file whose fences were not read before',
      file: 'src/load/front-matter.ts',
      find: 'const split = splitParts(source);',
      replace: 'try { matter(source.text); } catch {} const split = splitParts(source);',
    },
    {
      says: 'what aliases make is counted',
      file: 'src/load/yaml.ts',
      find: 'if (size > MAX_NODES) return bad(`The aliases make more than ${MAX_NODES} values.`);',
      replace: '',
    },
    {
      says: 'a SKILL.md that is a link out is not read',
      file: 'src/load/skill.ts',
      find: "const read = readText(file, [dir]);\n  if (read.type === 'fault') {",
      replace: "const read = readText(file);\n  if (read.type === 'fault') {",
    },
  ],
};

const COUNT: Readonly<Record<Size, number>> = { small: 30, large: 100 };

function chosen(size: Size, seed: number): Record<string, Make> {
  const all = { ...HOSTILE, ...VARIANTS };
  const random = randomFrom(seed);
  const others = Object.keys(all)
    .filter((name) => !FIRST.includes(name))
    .map((name) => ({ name, at: random() }))
    .sort((one, other) => one.at - other.at);
  const names = [...FIRST, ...others.map(({ name }) => name)].slice(0, COUNT[size]);
  return Object.fromEntries(names.map((name) => [name, all[name] as Make]));
}
