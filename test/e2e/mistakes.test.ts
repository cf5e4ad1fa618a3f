import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { Problem } from '../../src/core/problems.js';
import { FIXTURES, workspace } from '../support/cli.js';
import { mockServer } from '../support/mock-server.js';
import { askingAt } from './script-server.js';

const FOLDER = join(FIXTURES, 'pipelines/mistakes');
/** Ten files with one mistake each, named after its mark. */
const SINGLES = readdirSync(FOLDER)
  .filter((name) => name !== 'all.yaml' && name !== 'syntax.yaml')
  .map((name) => name.replace('.yaml', ''));

/** Lines that are marked as `# mistake: <name>`, from 1. */
function marks(file: string): Map<string, number> {
  const lines = readFileSync(join(FOLDER, file), 'utf8').split('\n');
  return new Map(
    lines.flatMap(
      (line, at) =>
        line
          .match(/# mistake: (\S+)/)
          ?.slice(1)
          .map((name) => [name, at + 1] as const) ?? [],
    ),
  );
}

async function problems(...args: readonly string[]): Promise<readonly Problem[]> {
  const ran = await workspace('mistakes').pipeline(args);
  expect(ran).toMatchObject({ code: 2 });
  return (JSON.parse(ran.stdout) as { readonly problems: readonly Problem[] }).problems;
}

it('says of ten mistakes in one file what it says of each alone, each at its own line', async () => {
  expect(SINGLES).toHaveLength(10);
  const [all = [], ...each] = await Promise.all(
    ['all', ...SINGLES].map((name) => problems('check', `${name}.yaml`, '--json')),
  );
  expect(all).toHaveLength(10);
  const byLine = new Map(all.map((problem) => [problem.at.line, problem]));
  const inAll = marks('all.yaml');
  for (const [index, name] of SINGLES.entries()) {
    const alone = each[index] ?? [];
    expect(alone, name).toHaveLength(1);
    expect(alone[0]?.at.line, name).toBe(marks(`${name}.yaml`).get(name));
    const together = byLine.get(inAll.get(name) ?? 0);
    expect([together?.rule, together?.message, together?.severity], name).toEqual([
      alone[0]?.rule,
      alone[0]?.message,
      'error',
    ]);
  }
});

it('finds the mistakes of all files, a broken YAML one among them', async () => {
  const all = await problems('check', 'syntax.yaml', 'all.yaml', 'duration.yaml', '--json');
  const files = all.map(({ at }) => at.file.split('/').at(-1));
  expect(files.filter((file) => file === 'all.yaml')).toHaveLength(10);
  expect(files.filter((file) => file === 'duration.yaml')).toHaveLength(1);
  expect(all.filter(({ at }) => at.file.endsWith('syntax.yaml')).map(({ at }) => at.line)).toEqual([5]);
});

it('refuses to run a file with a mistake: exit 2, no model call, no run folder', async () => {
  const server = await mockServer([{ status: 500 }]);
  onTestFinished(() => server.close());
  const place = workspace('mistakes');
  const refuse = async (name: string) => {
    const ran = await place.pipeline(['run', `${name}.yaml`, 'a query'], askingAt(server.url));
    expect(ran, name).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr, name).toMatch(new RegExp(`at   ${name}\\.yaml:\\d+:\\d+`));
    expect(ran.stderr, name).toContain('Nothing was run.');
  };
  await Promise.all(['all', ...SINGLES, 'syntax'].map(refuse));
  expect(server.requests).toEqual([]);
  expect(place.has('skill_run')).toBe(false);
});

it('names in text the file, line and column of each problem, and what to do', async () => {
  const ran = await workspace('mistakes').pipeline(['check', 'all.yaml']);
  expect(ran).toMatchObject({ code: 2, stdout: '' });
  expect(ran.stderr).toContain(
    `✗ A step has no key "tittle".\n  at   all.yaml:${marks('all.yaml').get('unknown-key')}:5\n  try  Did you mean "title"?`,
  );
  expect(ran.stderr).toContain('1 pipeline checked: 10 errors, 0 warnings');
});
