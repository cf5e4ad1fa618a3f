import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { injected, queriesIn } from '../../src/driver/inject.js';

const LITERAL = 'q1|q2|q3|q4';
const QUERIES = 'a "b"|$(echo pwned)|`id`|it\'s; exit 7 \\ $HOME ${HOME}|--flag';

/** The arguments that a program gets from the script. */
function argumentsOf(script: string): string[] {
  const replaced = injected(script, LITERAL, 'QUERIES');
  const ran = spawnSync('bash', ['-c', `show() { printf '%s\\0' "$@"; }\n${replaced}`], {
    env: { PATH: process.env.PATH, QUERIES },
    encoding: 'utf8',
  });
  return ran.stdout.split('\0').slice(0, -1);
}

describe('queries take the place of the literal as data, whatever stands around it', () => {
  it.each([
    [`show ${LITERAL}`, [QUERIES]],
    [`show "${LITERAL}"`, [QUERIES]],
    [`show '${LITERAL}'`, [QUERIES]],
    [`show --queries="${LITERAL}" x`, [`--queries=${QUERIES}`, 'x']],
    [`show 'a ${LITERAL} b' "it's ${LITERAL}"`, [`a ${QUERIES} b`, `it's ${QUERIES}`]],
    [`show \\"${LITERAL}`, [`"${QUERIES}`]],
    [`show "\\"${LITERAL}\\""`, [`"${QUERIES}"`]],
  ])('in %s', (script, expected) => {
    expect(argumentsOf(script)).toEqual(expected);
  });

  it('a script without the literal is left as it is', () => {
    expect(injected('echo x', LITERAL, 'Q')).toBeUndefined();
    expect(injected('echo x', '', 'Q')).toBeUndefined();
  });
});

it('finds queries in a list of texts, of objects, and under "queries"', () => {
  expect(queriesIn('["a", " b "]')).toBe('a|b');
  expect(queriesIn('{"queries": [{"query": "a", "role": "broad"}, {"query": "b"}]}')).toBe('a|b');
  for (const none of ['', 'words', '{}', '[]', '[1]', 'null', '{"queries": "a"}'])
    expect(queriesIn(none)).toBeUndefined();
});
