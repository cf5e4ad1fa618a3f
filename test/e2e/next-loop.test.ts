import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bodyOf, turn } from '../support/chat.js';
import { seen, type Workspace, workspace } from '../support/cli.js';
import { type MockRequest, type MockServer, mockServer } from '../support/mock-server.js';
import { askingAt } from './script-server.js';

const hasPython = spawnSync('python3', ['--version']).status === 0;
const HOSTILE = 'a "b" $(touch pwned) `touch pwned` \'c\'';

let server: MockServer;
let verdict = 'advance';
let isHanging = false;
beforeAll(async () => {
  server = await mockServer((request) => {
    const asked = textOf(request);
    return isHanging && asked.includes('Judge the draft.') ? { refuse: 'hang' } : turn({ text: answerTo(asked) });
  });
});
afterAll(() => server.close());

const textOf = (request: MockRequest) =>
  bodyOf(request)
    .messages.map((message) => message.content)
    .join('\n');

function answerTo(asked: string): string {
  if (asked.includes('Make two search queries.')) return JSON.stringify({ queries: [HOSTILE, 'second'] });
  if (asked.includes('Write the draft.')) return 'First sentence. Second sentence.';
  return JSON.stringify({ verdict });
}

const run = (place: Workspace, query: string, ...more: string[]) =>
  place.pipeline(['run', 'assay', query, ...more], askingAt(server.url));
const lines = (place: Workspace, path: string) => place.read(path).trimEnd().split('\n');

// The fixture is in Python; where there is none, the template of `pipeline init`, in JavaScript, stands for it.
describe.skipIf(!hasPython)('a skill of eight states that only its script drives', () => {
  it('runs to its end: sub-agents, commands, a handshake, data that no shell reads', async () => {
    verdict = 'advance';
    const place = workspace('next-loop');
    const ran = await run(place, 'a claim');
    expect(ran, ran.stderr).toMatchObject({ code: 0 });
    const at = 'skill_run/assay/a-claim';
    expect(place.read(`${at}/phase0/hits.txt`)).toBe(`${HOSTILE}|second\n`);
    expect(place.has('pwned')).toBe(false);
    expect(place.read(`${at}/phase1/words.txt`)).toBe('4\n');
    expect(place.read(`${at}/phase2/card.md`)).toBe('First sentence. Second sentence.');
    expect(lines(place, 'skill_run/assay/commands.txt')).toEqual(['gather', 'check', 'count', 'card']);
    expect(ran.stdout).toContain('2. P0_GATHER / 0. gather [bash]');
    expect(ran.stdout).toContain('subagent_done: wrote phase1/draft.md (32 bytes) | task: Write the draft.');
    const [intake = '', draft = ''] = server.requests.map(textOf);
    expect(intake).toContain('Make search queries that a library can answer.');
    expect(intake).toContain('Write plainly.');
    expect(draft).toContain(`${HOSTILE}|second`);
    expect(ran.stderr).toContain('INPUT "<the person\'s claim>" is skipped');
  });

  it('ends as refused where it says do_not_generate, as failed where a failing state is terminal', async () => {
    const refused = await run(workspace('next-loop'), 'please refuse');
    expect(refused).toMatchObject({ code: 5 });
    expect(refused.stderr).toContain('Nothing was found.');
    verdict = 'abandon';
    const failed = await run(workspace('next-loop'), 'a claim');
    expect(failed).toMatchObject({ code: 1 });
    expect(failed.stderr).toContain('The auditor abandoned the draft.');
    verdict = 'advance';
  });

  it('goes on after a kill in the middle, and does nothing twice', async () => {
    isHanging = true;
    const place = workspace('next-loop');
    const begun = server.requests.length;
    const started = place.start(['run', 'assay', 'a claim'], askingAt(server.url));
    await seen(() => server.requests.length === begun + 3);
    started.child.kill('SIGKILL');
    await started.ended;
    isHanging = false;
    const before = server.requests.length;
    const resumed = await run(place, 'a claim', '--resume');
    expect(resumed, resumed.stderr).toMatchObject({ code: 0 });
    expect(server.requests.length - before).toBe(1);
    expect(lines(place, 'skill_run/assay/commands.txt')).toEqual(['gather', 'check', 'count', 'card']);
    expect(place.read('skill_run/assay/a-claim/transcript.md').match(/^1\. /gm)).toHaveLength(2);
  });

  it('is a step of another pipeline like any skill', async () => {
    const place = workspace('next-loop');
    place.write(
      'outer.yaml',
      "version: 1\nname: outer\nsteps:\n  - id: assay\n    pipeline: { skill: assay, query: 'a claim' }\nresult: ${{ steps.assay.output }}\n",
    );
    const ran = await place.pipeline(['run', 'outer.yaml', 'x'], askingAt(server.url));
    expect(ran, ran.stderr).toMatchObject({ code: 0 });
    expect(place.read('skill_run/outer/x/assay/phase2/card.md')).toContain('Second sentence.');
    expect(ran.stdout).toContain('[terminal]');
  });
});
