/** docs/errors.md against the code: every fault and every rule has its heading, and the examples are what they say. */
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { FAULTS } from '../src/core/faults.js';
import { checkPipeline, STEP_KINDS } from '../src/run.js';
import { project } from './support/project.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const page = readFileSync(join(ROOT, 'docs/errors.md'), 'utf8');

const SOURCES = (readdirSync(join(ROOT, 'src'), { recursive: true }) as string[])
  .filter((file) => file.endsWith('.ts'))
  .map((file) => ({ file, text: readFileSync(join(ROOT, 'src', file), 'utf8') }));

/** In the table of faults itself a code that is raised stands behind `code:`. */
function codesIn(file: string, text: string): string[] {
  const pattern = file === join('core', 'faults.ts') ? /\bcode: '([a-z]+\.[a-z_]+)'/g : /'([a-z]+\.[a-z_]+)'/g;
  return [...text.matchAll(pattern)].map(([, code]) => code ?? '');
}

interface Section {
  readonly name: string;
  readonly text: string;
}

const SECTIONS = page.split(/^(?=##+ )/m).flatMap((text): Section[] => {
  const name = /^### `([^`]+)`\n/.exec(text)?.[1];
  return name === undefined ? [] : [{ name, text }];
});
const FAULT_SECTIONS = SECTIONS.filter(({ name }) => name.includes('.'));
const RULE_SECTIONS = SECTIONS.filter(({ name }) => !name.includes('.'));

/** What the sources say, as far as the name stands where it is said. */
function rulesOfSources(): string[] {
  const calls =
    /\b(?:notes\.(?:error|warn)|notes\[[^\]]*\]|say|warn|problem)\(\s*(?:[\w.]+,\s*)?'([a-z]+(?:-[a-z]+)*)'/g;
  const literals = /\brule: '([a-z]+(?:-[a-z]+)*)'/g;
  const severities = /\bsay\(\s*'(?:error|warning)',\s*'([a-z]+(?:-[a-z]+)*)'/g;
  const handed = /'([a-z]+(?:-[a-z]+)+)', say\)/g;
  const asked = SOURCES.filter(({ file }) => file.startsWith('load') || file.startsWith('providers'));
  const found = asked.flatMap(({ text }) =>
    [calls, literals, severities, handed].flatMap((pattern) =>
      [...text.matchAll(pattern)].map(([, rule]) => rule ?? ''),
    ),
  );
  const expression = SOURCES.find(({ file }) => file === join('core', 'expression.ts'))?.text ?? '';
  const parsed = [...expression.matchAll(literals)].map(([, rule]) => rule ?? '');
  return [...new Set([...found, ...parsed])].filter((rule) => rule !== 'error' && rule !== 'warning');
}

/** Of kinds that have something to say. */
function rulesOfKinds(): string[] {
  return STEP_KINDS.map(({ name }) => name)
    .filter((name) =>
      SOURCES.some(({ file, text }) => file === join('steps', `${name}.ts`) && /\.problem\(/.test(text)),
    )
    .map((name) => `${name}-config`);
}

interface Example {
  readonly rule: string;
  readonly wrong: string;
  readonly right: string;
  readonly section: string;
}

const EXAMPLES = RULE_SECTIONS.flatMap(({ name, text }): Example[] => {
  const found = /^```text\n# wrong\n([\s\S]*?)^# right\n([\s\S]*?)^```$/m.exec(text);
  return found ? [{ rule: name, wrong: found[1] ?? '', right: found[2] ?? '', section: text }] : [];
});

const NAMED_FILES = {
  'prompts/outline.md': 'Write an outline.\n',
  'schemas/outline.json': { type: 'object', properties: { title: { type: 'string' } } },
  'skills/tidy/SKILL.md': '---\nname: tidy\ndescription: Tidies a folder.\n---\nTidy it.\n',
};

/** Parts of files, completed. */
function filesOf(text: string): { readonly target: string; readonly files: Record<string, string> } {
  const step = "steps:\n  - id: only\n    shell: { run: 'true' }\n";
  if (text.startsWith('---')) return { target: 'tidy', files: { 'skills/tidy/SKILL.md': text } };
  if (text.startsWith('models:\n'))
    return { target: './pipeline.yaml', files: { 'pipeline.config.yaml': text, 'pipeline.yaml': step } };
  const steps = text.startsWith('- ') ? `steps:\n${text.replace(/^(?=.)/gm, '  ')}` : text;
  const isWhole = /^steps:/m.test(steps);
  return { target: './pipeline.yaml', files: { 'pipeline.yaml': isWhole ? steps : `${steps}${step}` } };
}

async function findings(text: string, strict: boolean) {
  const { target, files } = filesOf(text);
  const { dir } = project({ ...NAMED_FILES, ...files });
  mkdirSync(join(dir, '.git'));
  const { problems } = await checkPipeline(target, { cwd: dir, env: { HOME: dir } }, { strict });
  return problems;
}

describe('docs/errors.md', () => {
  it('has a heading for every fault, and none for another', () => {
    expect(FAULT_SECTIONS.map(({ name }) => name).sort()).toEqual(Object.keys(FAULTS).sort());
  });

  it('tells the exit code of each fault, and whether a retry can help', () => {
    const wrong = FAULT_SECTIONS.filter(({ name, text }) => {
      const { exit, retry } = FAULTS[name as keyof typeof FAULTS];
      return !text.includes(`\nExit ${exit}. A retry ${retry ? 'can help' : 'does not help'}.`);
    });
    expect(wrong.map(({ name }) => name)).toEqual([]);
  });

  it('shows a message of each fault with what to do, but for those that nothing raises', () => {
    const raised = new Set(SOURCES.flatMap(({ file, text }) => codesIn(file, text)));
    const reserved = FAULT_SECTIONS.filter(({ text }) => text.includes('Reserved: nothing raises it'));
    const unraised = Object.keys(FAULTS).filter((code) => !raised.has(code));
    expect(reserved.map(({ name }) => name).sort()).toEqual(unraised.sort());
    const bare = FAULT_SECTIONS.filter(
      (one) => !reserved.includes(one) && !/^```text\n[\s\S]+?\n```\n\nDo: /m.test(one.text),
    );
    expect(bare.map(({ name }) => name)).toEqual([]);
  });

  it('has a heading for every rule of the check, and none for another', () => {
    const rules = [...new Set([...rulesOfSources(), ...rulesOfKinds()])].sort();
    expect(rules.length).toBeGreaterThan(80);
    expect(RULE_SECTIONS.map(({ name }) => name).sort()).toEqual(rules);
  });

  it('links to headings that are there', () => {
    const anchors = [...page.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
      title
        .toLowerCase()
        .replace(/[^\w\- ]/g, '')
        .replaceAll(' ', '-'),
    );
    const links = [...page.matchAll(/\]\(#([^)]+)\)/g)].map(([, to]) => to);
    expect(links.filter((to) => !anchors.includes(to ?? ''))).toEqual([]);
  });

  it.each(EXAMPLES)('shows for $rule what is wrong, and what is right', async ({ rule, wrong, right, section }) => {
    const [first] = (await findings(wrong, false)).filter((one) => one.rule === rule);
    const said = first ?? (await findings(wrong, true)).find((one) => one.rule === rule);
    expect(said, 'the wrong example has the finding').toBeDefined();
    const severity = first ? first.severity : 'warning, strict';
    expect(section.toLowerCase()).toContain(severity);
    expect({ mends: /`--fix` mends/.test(section) }).toEqual({ mends: said?.edit !== undefined });
    expect(await findings(right, true)).toEqual([]);
  });
});
