/** The pages that say "type this": every command, file and edit of each, in order, in one project, and what it shows. */
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { BUNDLED_SKILLS, FIXTURES, type Workspace, workspace } from '../support/cli.js';
import { callReply, type MockReply, mockServer, textReply } from '../support/mock-server.js';
import { blocksOf } from '../support/page.js';
import { commandsIn } from '../support/page-commands.js';
import { follow, type Surroundings } from '../support/page-follow.js';
import { FOLLOWED, PAGES, readPage } from '../support/pages.js';

/** What some pages ask of the machine of their reader. */
const SURROUNDINGS: Readonly<Record<string, () => Promise<Surroundings>>> = {
  'docs/explain.md': async () => ({ prepare: clonedSkills }),
  'docs/how-to/local-models.md': ollama,
  'docs/testing.md': async () => ({ prepare: essay }),
};

/** The skills of a clone, where its reader can edit them. */
function clonedSkills(place: Workspace): void {
  for (const name of ['idea-spark', 'paper-search']) {
    cpSync(join(BUNDLED_SKILLS, name), join(place.dir, 'skills', name), { recursive: true });
  }
}

/** The skill that the page speaks of. */
function essay(place: Workspace): void {
  cpSync(join(FIXTURES, 'pages/essay'), join(place.dir, 'skills/essay'), { recursive: true });
}

/** A server that answers where Ollama does, as far as the program can tell: its port is led to one that is free. */
async function ollama(): Promise<Surroundings> {
  const server = await mockServer(({ url, body }) => {
    if (url === '/api/tags') return { body: JSON.stringify({ models: [{ name: 'qwen3:8b' }] }) };
    return body.includes('"tools"') ? answer(body) : textReply('one two three');
  });
  onTestFinished(() => server.close());
  const led = join(FIXTURES, 'pages/lead-port.cjs');
  const { port } = new URL(server.url);
  return {
    prelude: `pipeline() { built_pipeline "$@"; }\nexport NODE_OPTIONS='--require=${led}' LEAD_PORT_11434=${port}\n`,
  };
}

/** A model that answers what it is asked for. */
function answer(body: string): MockReply {
  if (body.includes('"verdict"'))
    return callReply(['resolve', { verdict: 'keep', reason: 'A reader can measure it.' }]);
  if (!body.includes('"points"')) return callReply(['resolve', { word: 'ready' }]);
  const points = ['Stone keeps the heat of the day.', 'Few trees give shade.', 'Engines add heat of their own.'];
  return callReply(['resolve', { title: 'Stone, few trees and engines keep cities hot', points }]);
}

it.each(FOLLOWED)('%s: each command does and prints what the page says', async (page) => {
  expect(blocksOf(readPage(page)).filter(({ type }) => type === 'commands').length).toBeGreaterThan(2);
  const place = await follow(readPage(page), await SURROUNDINGS[page]?.());
  // A page that tells its reader to clear away has told it of all that it made.
  if (readPage(page).includes('\nrm -r ')) {
    const { stdout } = await place.bash('find . -type f');
    expect(stdout.split('\n').filter(Boolean)).toEqual(['./schemas/pipeline.schema.json']);
  }
});

/** Command lines that only look, without a placeholder and without a name that only their page knows. */
const LOOKING = [
  ...new Set(
    PAGES.flatMap((page) => commandsIn(readPage(page)))
      .filter(({ text }) => !/[…<[/"]/.test(text))
      .map(({ args }) => args.join(' '))
      .filter((line) =>
        /^(check|doctor|list|models|reference|runs|skills (check|list)|test)( --[a-z -]+)?$/.test(line),
      ),
  ),
].sort();

it('pages name commands that only look', () => expect(LOOKING.length).toBeGreaterThan(12));

it.each(LOOKING)('pipeline %s does its work, as pages say', async (line) => {
  const place = workspace();
  essay(place);
  const { code, stdout, stderr } = await place.bash(`export TMPDIR="$HOME"; pipeline ${line}`);
  expect(code, stderr).toBe(0);
  expect(stdout + stderr).not.toBe('');
});

const SOURCES = commandsIn(readPage('docs/skills.md'))
  .map(({ args }) => args.join(' '))
  .filter((line) => /^skills add \S*[/:]/.test(line));

it('docs/skills.md names sources of four kinds', () => expect(SOURCES).toHaveLength(4));

it.each(SOURCES)('pipeline %s looks there, where git is told that a folder stands for the host', async (line) => {
  const place = workspace();
  const there = join(place.dir, '../their-skills');
  const asked = `
    git init --quiet -b v2 ${there} && mkdir ${there}/digest && printf -- '---\\ndescription: d\\n---\\nRead.\\n' > ${there}/digest/SKILL.md
    git -C ${there} add --all && git -C ${there} -c user.name=a -c user.email=a@example.org commit --quiet -m x
    for host in https://github.com/owner/repo.git https://example.org/a.git; do
      git config --global --add url."file://${there}/.git".insteadOf "$host"
    done
    pipeline ${line} < /dev/null`;
  const { code, stderr } = await place.bash(asked);
  expect(code, stderr).toBe(2);
  expect(stderr).toMatch(/^digest {2}from .*Nobody can be asked here: nothing was copied\./ms);
});
