/** Fuzzes the reading of a SKILL.md, whose front matter must never be executed. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readSkill } from '../../src/load/skill.js';
import { BUNDLED_SKILLS, FIXTURES } from '../../test/support/cli.js';
import { damagedBytes, mutated } from './mutate.js';
import { wrongProblems } from './problems.js';
import type { Random, Target } from './target.js';

/** What the code in an input sets, if it is executed. */
const MARK = 'executedByFrontMatter';
const CODE = `{ name: (globalThis.${MARK} = true, "x") }`;
const WORDS = [
  ...[
    '---',
    '---\n',
    '\n---\n',
    '...\n',
    '---js\n',
    '---javascript\n',
    '---coffee\n',
    '---json\n',
    '---toml\n',
    '--- #\n',
  ],
  ...[`---js\n${CODE}\n---\n`, `---javascript\n${CODE}\n---\n`, `!!js/function 'function () { ${CODE} }'`, CODE],
  ...[
    'name:',
    'description:',
    'allowed-tools:',
    'metadata:',
    'tools:',
    '__proto__:',
    'constructor:',
    '<<: *a',
    '&a',
    '*a',
  ],
  ...[
    'Bash(git *)',
    'Read',
    ': ',
    ' #',
    '|',
    '>-\n',
    '? ',
    '!!binary ',
    '!!set ',
    '!!timestamp ',
    '"',
    "'",
    '\t',
    '\r',
    '{',
    '[',
  ],
];

export const frontMatter: Target = {
  name: 'front matter',
  inputs: 250,
  async open(dir) {
    const place = join(dir, 'a-skill');
    mkdirSync(place);
    const inputOf = skillFiles();
    return (random) => {
      const input = inputOf(random);
      writeFileSync(join(place, 'SKILL.md'), input);
      return {
        input,
        read() {
          const { skill, problems } = readSkill(place);
          if (wasExecuted()) return 'its code was executed';
          return wrongProblems(problems, skill !== undefined);
        },
      };
    };
  },
};

/** Also for a reader beside ours. */
export function skillFiles(): (random: Random) => Uint8Array {
  const folders = [
    join(FIXTURES, 'corpus'),
    join(FIXTURES, 'skills'),
    BUNDLED_SKILLS,
    join(FIXTURES, 'pipelines/js-front-matter'),
  ];
  const hostile = ['js', 'javascript', 'JS'].map((language) => `---${language}\n${CODE}\n---\nDo it.\n`);
  const found = folders.flatMap((folder) => filesIn(folder, /^SKILL\.md$/i)).map((text) => text.slice(0, 20_000));
  const texts = [...found, ...hostile];
  return (random) => damagedBytes(mutated({ texts, words: WORDS }, random), random);
}

export function filesIn(folder: string, name: RegExp): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && name.test(entry.name))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'));
}

/** Since it was asked last. */
export function wasExecuted(): boolean {
  return Reflect.has(globalThis, MARK) && Reflect.deleteProperty(globalThis, MARK);
}
