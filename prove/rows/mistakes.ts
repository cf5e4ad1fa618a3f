/** Wrong pipelines and skills, run from the command line with a model that would answer: none of them reaches it. */
import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hasErrors } from '../../src/core/problems.js';
import { problemsText } from '../../src/load/report.js';
import { checkPipeline } from '../../src/run.js';
import { FIXTURES, type Workspace, workspace } from '../../test/support/cli.js';
import { type MockServer, mockServer, textReply } from '../../test/support/mock-server.js';
import type { Row } from '../row.js';
import { trials } from '../trials.js';

/** One wrong file, in a folder with what it needs beside it. */
interface Mistake {
  readonly name: string;
  /** Undefined: a right pipeline stands in it. */
  readonly dir: string | undefined;
  /** Of its project, when it has one. */
  readonly config?: string;
  readonly target: string;
  /** What the place of an error must begin with, for each: `file:line:`. */
  readonly places: readonly string[];
}

const AT_ONCE = 3;
const PIPELINE = `name: right
steps:
  - id: a
    agent: { prompt: '\${{ query }}' }
    output: { type: string }
`;
/** Each with a mistake in its second line. */
const CONFIGS: Readonly<Record<string, string>> = {
  'a provider that is misspelled': 'models:\n  judge: { provider: opnai, model: m }\n',
  'a key of the configuration that is misspelled': 'models: {}\nmax_paralel: 3\n',
  'a model without its id': 'models:\n  judge: { provider: openai }\n',
  'a key of a provider in a file': 'models:\n  judge: { provider: openai, model: m, api_key: sk-123 }\n',
};
/** At small size one in so many goes through the command line. */
const SAMPLED = 3;

export const row: Row = {
  name: 'mistakes',
  promise: 'configuration errors are found before the first model call',
  target: 'all: exit code 2, 0 model calls, each problem with file:line',
  async prove(size) {
    const server = await mockServer(() => textReply('An answer.'));
    const all = mistakes();
    const ran = all.filter((_, index) => size === 'large' || index % SAMPLED === 0);
    const figure = await trials(all.length + ran.length, AT_ONCE, async (index) => {
      const mistake = (index < all.length ? all[index] : ran[index - all.length]) as Mistake;
      const fault = await (index < all.length ? read(mistake) : run(mistake, server));
      return fault && `${mistake.name}: ${fault}`;
    });
    const calls = server.requests.length === 0 ? [] : [`${server.requests.length} calls of a model`];
    await server.close();
    const also = `${all.length} read by the library, ${ran.length} run from the command line`;
    return { ...figure, faults: [...figure.faults, ...calls], also };
  },
  guards: [
    {
      says: 'a pipeline with errors is not run',
      file: 'src/run.ts',
      find: 'if (!checked.plan || hasErrors(checked.problems)) return invalid([]);',
      replace: 'if (!checked.plan) return invalid([]);',
    },
    {
      says: 'two steps do not share an id',
      file: 'src/load/pipeline.ts',
      find: '  checkUniqueIds(all, reading);',
      replace: '',
    },
    {
      says: 'expressions are checked before they are evaluated',
      file: 'src/load/check.ts',
      find: '    for (const finding of infer(expression, scope, expected).findings) {',
      replace: '    for (const finding of infer(expression, scope, expected).findings.slice(1)) {',
    },
  ],
};

function mistakes(): Mistake[] {
  const bad = join(FIXTURES, 'bad');
  const alone = join(FIXTURES, 'pipelines/mistakes');
  const skills = join(FIXTURES, 'pipelines/js-front-matter');
  const wrong = foldersIn(bad).map((name): Mistake => {
    const dir = join(bad, name);
    return { name, dir, target: './pipeline.yaml', places: placesIn(readFileSync(join(dir, 'expected.txt'), 'utf8')) };
  });
  return [
    // One has a warning only.
    ...wrong.filter(({ places }) => places.length > 0),
    ...readdirSync(alone).map((file): Mistake => {
      const lines = readFileSync(join(alone, file), 'utf8').split('\n');
      const places = lines.flatMap((line, index) => (line.includes('# mistake: ') ? [`${file}:${index + 1}:`] : []));
      return { name: `mistakes/${file}`, dir: alone, target: `./${file}`, places };
    }),
    ...readdirSync(join(skills, 'skills')).map((name): Mistake => {
      return { name: `js-front-matter/${name}`, dir: skills, target: name, places: [`skills/${name}/SKILL.md:1:`] };
    }),
    ...Object.entries(CONFIGS).map(([name, config]): Mistake => {
      return { name, dir: undefined, config, target: './pipeline.yaml', places: ['pipeline.config.yaml:2:'] };
    }),
  ];
}

const foldersIn = (dir: string) =>
  readdirSync(dir, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));

/** As the library finds it. */
async function read(mistake: Mistake): Promise<string | undefined> {
  const { dir: cwd } = placed(mistake);
  const { plan, problems } = await checkPipeline(mistake.target, { cwd, env: {} });
  if (plan && !hasErrors(problems)) return 'no error is found';
  return missing(mistake, problemsText(problems, { cwd }));
}

/** As a person meets it. */
async function run(mistake: Mistake, server: MockServer): Promise<string | undefined> {
  const env = { OPENAI_BASE_URL: server.url, OPENAI_API_KEY: 'a-key-of-tests', OPENAI_MODEL: 'm' };
  const place = placed(mistake);
  const { code, stderr } = await place.pipeline(['run', mistake.target, 'a query'], env);
  if (code !== 2) return `exit code ${code}: ${stderr.slice(0, 500)}`;
  return place.has('skill_run') ? 'it left a run' : missing(mistake, stderr);
}

function placed({ name, dir, config }: Mistake): Workspace {
  const place = workspace();
  if (dir !== undefined) cpSync(dir, place.dir, { recursive: true });
  else place.write('pipeline.yaml', PIPELINE);
  // The skill that no test has comes with the program.
  if (name === 'unknown-skill') place.edit('pipeline.yaml', 'paper_search', 'paper_saerch');
  if (config !== undefined) place.write('pipeline.config.yaml', config);
  return place;
}

/** What the text does not say though it must. */
function missing({ places }: Mistake, text: string): string | undefined {
  const said = placesIn(text);
  const errors = text.split('\n').filter((line) => line.startsWith('✗ '));
  if (errors.length === 0 || said.length < errors.length) return `an error without a place: ${text.slice(0, 500)}`;
  const unsaid = places.find((place) => !said.some((each) => each.startsWith(place)));
  return unsaid && `nothing is said of ${unsaid}: ${text.slice(0, 500)}`;
}

/** `file:line:column` of each error. */
function placesIn(text: string): string[] {
  return [...text.matchAll(/^✗ .*\n {2}at {3}(\S+:\d+:\d+)$/gm)].map(([, place = '']) => place);
}
