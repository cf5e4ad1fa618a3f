/** skills/AGENTS.md and the bundled SKILL.md files: what they send an author to is there, and a contract names no tool of this runner. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { TOOLS } from '../../src/run.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const guide = readFileSync(join(ROOT, 'skills/AGENTS.md'), 'utf8');
const bundled = readdirSync(join(ROOT, 'skills'), { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() ? [entry.name] : [],
);
/** What a chat has beside the tools of a step. */
const OF_CHAT = ['run_shell_command', 'spawn_subagent', 'skill_view', 'skills_list'];

const section = (title: string) => guide.split(/^## /m).find((part) => part.startsWith(`${title}\n`)) ?? '';

it('the guide of an author has a way to choose a mode, a checklist of commands that exist, and what not to do', () => {
  const modes = [...section('Choose a mode').matchAll(/\(see ([^)]+)\)/g)].flatMap(([, names]) =>
    [...(names ?? '').matchAll(/`([^`]+)`/g)].map(([, name]) => name),
  );
  expect(modes.length).toBeGreaterThanOrEqual(4);
  expect(modes.filter((name) => !bundled.includes(name ?? ''))).toEqual([]);
  const sources = readdirSync(join(ROOT, 'src/cli')).map((name) => readFileSync(join(ROOT, 'src/cli', name), 'utf8'));
  const asked = [...section('Checklist').matchAll(/`pipeline ([a-z]+)/g)].map(([, name]) => name);
  expect(asked).toEqual(expect.arrayContaining(['init', 'check', 'graph', 'run', 'show', 'resume', 'test', 'list']));
  const isCommand = (name: string | undefined) =>
    sources.some((text) => new RegExp(`\\.command\\(\\s*'${name}\\b`).test(text));
  expect(asked.filter((name) => !isCommand(name))).toEqual([]);
  const checklist = section('Checklist');
  expect(checklist).toMatch(/^\d+\. .*`\/skills` in `pipeline chat`/m);
  expect(checklist).toMatch(/^\d+\. Wake it in a chat: `\/<name> /m);
  expect(checklist).toContain('skill_run/<name>/<slug>/');
  const inOrder = ['Choose a mode', 'SKILL.md', 'pipeline.yaml', 'pipeline check', '/skills', 'Wake it'];
  const places = inOrder.map((words) => checklist.indexOf(words));
  expect(places).toEqual([...places].sort((a, b) => a - b));
  expect(places[0]).toBeGreaterThan(0);
  expect(section("Don't").match(/^- Don't /gm)?.length).toBeGreaterThan(5);
});

it.each(bundled)('the SKILL.md of %s names no tool of this runner, and holds no key', (name) => {
  const file = join(ROOT, 'skills', name, 'SKILL.md');
  expect(existsSync(file)).toBe(true);
  const text = readFileSync(file, 'utf8');
  expect(text.length).toBeGreaterThan(200);
  const tools = [...TOOLS.map(({ spec }) => spec.name).filter((tool) => tool.includes('_')), ...OF_CHAT];
  expect(tools.filter((tool) => text.includes(tool))).toEqual([]);
  expect(text).not.toMatch(/\bsk-[A-Za-z0-9]{8}|API_KEY *=/);
});
