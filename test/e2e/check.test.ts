/** `pipeline check` as a person or another program meets it. */
import { describe, expect, it } from 'vitest';
import { workspace } from '../support/cli.js';

const MISTAKEN = `name: essay
steps:
  - id: outline
    shell: { run: echo hi }
    timeout: 10min
  - id: draft
    needs: [outlnie]
    if: steps.outline.output != ""
    set: { n: 1 }
`;
const MENDED = MISTAKEN.replace('10min', '10m').replace('outlnie', 'outline').replace('if:', 'when:');
const FILE = 'skills/essay/pipeline.yaml';

function project(yaml = MISTAKEN) {
  const place = workspace();
  place.write(FILE, yaml);
  return place;
}

describe('formats', () => {
  it('says in text what, where, and what to do, without colours where nobody looks', async () => {
    const { code, stdout, stderr } = await project().pipeline(['check', 'essay']);
    expect(code).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toBe(`✗ "timeout" must be a duration, not "10min".
  at   skills/essay/pipeline.yaml:5:14
  try  Write 10m.
✗ Step "draft" needs "outlnie", but no step has that id.
  at   skills/essay/pipeline.yaml:7:13
  try  Did you mean "outline"?
✗ A step has no key "if".
  at   skills/essay/pipeline.yaml:8:5
  try  Here it is called "when".
1 pipeline checked: 3 errors, 0 warnings
`);
  });

  it('writes the same findings as JSON by --json and by --format json', async () => {
    const place = project();
    const short = await place.pipeline(['check', 'essay', '--json']);
    const long = await place.pipeline(['check', 'essay', '--format', 'json']);
    expect(short.code).toBe(2);
    expect(JSON.parse(short.stdout).problems).toHaveLength(3);
    expect(long.stdout).toBe(short.stdout);
  });

  it('writes SARIF that names each file by its path in the project', async () => {
    const { code, stdout } = await project().pipeline(['check', 'essay', '--format', 'sarif']);
    expect(code).toBe(2);
    const [run] = JSON.parse(stdout).runs;
    const uris = run.results.map(
      (result: { locations: { physicalLocation: { artifactLocation: { uri: string } } }[] }) =>
        result.locations[0]?.physicalLocation.artifactLocation.uri,
    );
    expect(uris).toEqual([FILE, FILE, FILE]);
  });

  it('refuses two formats at once, and one that it does not know', async () => {
    const place = project();
    expect((await place.pipeline(['check', '--json', '--format', 'sarif'])).code).toBe(2);
    const unknown = await place.pipeline(['check', '--format', 'xml']);
    expect(unknown.code).toBe(2);
    expect(unknown.stderr).toContain('text, json, sarif');
  });
});

describe('--fix', () => {
  it('mends what has one answer, says each edit, and ends well when nothing is left', async () => {
    const place = project();
    const { code, stderr } = await place.pipeline(['check', 'essay', '--fix']);
    expect(code).toBe(0);
    expect(stderr).toBe(`✓ skills/essay/pipeline.yaml:5:14  10min → 10m
✓ skills/essay/pipeline.yaml:7:13  outlnie → outline
✓ skills/essay/pipeline.yaml:8:5  if → when
1 pipeline checked: 3 edits made, 0 errors, 0 warnings
`);
    expect(place.read(FILE)).toBe(MENDED);
  });

  it('says what is left, and ends by it', async () => {
    const place = project(MISTAKEN.replace('outlnie', 'nobody'));
    const { code, stdout } = await place.pipeline(['check', 'essay', '--fix', '--json']);
    expect(code).toBe(2);
    const { problems, fixed } = JSON.parse(stdout);
    expect(problems.map(({ rule }: { rule: string }) => rule)).toEqual(['unknown-need']);
    expect(fixed.map(({ from, to }: { from: string; to: string }) => `${from} ${to}`)).toEqual([
      '10min 10m',
      'if when',
    ]);
  });

  it('changes nothing without being asked to', async () => {
    const place = project();
    await place.pipeline(['check', 'essay', '--strict']);
    expect(place.read(FILE)).toBe(MISTAKEN);
  });

  it('leaves skills outside of the project alone when no target names them', async () => {
    const place = project(MENDED);
    const elsewhere = workspace();
    elsewhere.write(FILE.replace('essay', 'other'), MISTAKEN);
    const all = ['--skills-dir', `${elsewhere.dir}/skills`, 'check'];
    expect((await place.pipeline([...all, '--fix'])).code).toBe(2);
    expect(elsewhere.read(FILE.replace('essay', 'other'))).toBe(MISTAKEN);
    expect((await place.pipeline([...all, 'other', '--fix'])).code).toBe(0);
    expect(elsewhere.read(FILE.replace('essay', 'other'))).toBe(MENDED);
  });
});

describe('--strict', () => {
  it('holds a SKILL.md to the letter, which is a matter of taste without it', async () => {
    const place = project(MENDED);
    place.write('skills/essay/SKILL.md', '---\nname: Essay\ndescription: d\nallowed-tools: Read, Grep\n---\nWrite.\n');
    expect((await place.pipeline(['check', 'essay'])).code).toBe(0);
    const { code, stderr } = await place.pipeline(['check', 'essay', '--strict']);
    expect(code).toBe(2);
    expect(stderr).toContain('SKILL.md:2:7');
    expect(stderr).toContain('SKILL.md:4:16');
    expect((await place.pipeline(['check', 'essay', '--strict', '--fix'])).code).toBe(0);
    expect(place.read('skills/essay/SKILL.md')).toContain('name: essay\ndescription: d\nallowed-tools: Read Grep\n');
  });
});

describe('tests/', () => {
  const TEST = 'name: a\nmodel: sketch\nstubs: { outlin: { exit: 1 } }\nexpect: { status: failed }\n';
  const SIMULATION = `name: b\nquery: 7\nalways: ['steps.draft.status == "done" && steps.draft.output.m == 1']\n`;

  it('holds tests and simulations of a skill against its pipeline, and those of no other file', async () => {
    const place = project(MENDED);
    place.write('skills/essay/tests/a.test.yaml', TEST);
    place.write('skills/essay/tests/b.sim.yaml', SIMULATION);
    place.write('skills/essay/tests/c.sim.yaml', SIMULATION.replace('query: 7\n', ''));
    place.write('skills/essay/other.yaml', MENDED);
    const { code, stderr } = await place.pipeline(['check', 'essay']);
    expect(code).toBe(2);
    expect(stderr).toMatchInlineSnapshot(`
      "✗ "essay" has no step "outlin".
        at   skills/essay/tests/a.test.yaml:3:10
        try  Did you mean "outline"?
      ✗ "query" must be a text or a list of texts, not the number 7.
        at   skills/essay/tests/b.sim.yaml:2:8
      ✗ steps.draft.output has no field "m".
        at   skills/essay/tests/c.sim.yaml:2:62
        try  Did you mean n?
      1 pipeline checked: 3 errors, 0 warnings
      "
    `);
    expect((await place.pipeline(['check', 'skills/essay/other.yaml'])).code).toBe(0);
  });
});
