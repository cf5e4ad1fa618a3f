/** Shell payloads as query, item, output, file name of real runs: they arrive byte for byte, and nothing executes them. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { bodyOf, turn } from '../../test/support/chat.js';
import { type Workspace, workspace } from '../../test/support/cli.js';
import { mockServer } from '../../test/support/mock-server.js';
import type { Row } from '../row.js';
import { asFileNames, shellPayloads } from '../shell-payloads.js';
import { trials } from '../trials.js';

const PAYLOADS = { small: 50, large: 500 };
/** Carried by one run as items, outputs, prompts, names; as a query each has a run of its own. */
const PER_RUN = 10;
const RUNS_AT_ONCE = 2;
const CANARY = 'PWNED';

const PROBE = `printf %s "$PIPELINE_QUERY" > query
printf %s "$VALUE" > env
printf %s "$2" > argv
cat > stdin
printf '%s\\n' "$VALUE"
`;
const CARRY = `version: 1
name: carry
inputs:
  items: { type: array, maxItems: 100, items: { type: string } }
  names: { type: array, maxItems: 100, items: { type: string } }
steps:
  - id: item
    foreach: \${{ inputs.items }}
    shell: &probe
      command: [bash, '\${{ skill.dir }}/probe.sh', --, '\${{ item }}']
      env: { VALUE: '\${{ item }}' }
      stdin: '\${{ item }}'
  - id: output
    foreach: \${{ steps.item.output }}
    shell: *probe
  - id: asked
    needs: [item]
    foreach: \${{ steps.item.output }}
    agent: { adapter: llm, prompt: '\${{ item }}' }
    output: { type: string }
  - id: left
    needs: []
    foreach: \${{ inputs.names }}
    shell: { run: 'printf %s "$VALUE" > "./$VALUE"', env: { VALUE: '\${{ item }}' } }
  - id: saved
    needs: []
    foreach: \${{ inputs.names }}
    set: { name: '\${{ item }}' }
    save: '\${{ item }}'
result: { query: '\${{ query }}', items: '\${{ steps.output.output }}', names: '\${{ steps.saved.output }}' }
`;
const ASK = `version: 1
name: ask
steps:
  - id: query
    shell:
      command: [bash, '\${{ skill.dir }}/probe.sh', --, '\${{ query }}']
      env: { VALUE: '\${{ query }}' }
      stdin: '\${{ query }}'
result: \${{ steps.query.output }}
`;
/** What an author must not write. */
const PASTING = `version: 1
name: pasting
steps:
  - id: a
    shell: { run: 'echo \${{ query }}' }
`;

export const row: Row = {
  name: 'payloads',
  promise: 'shell payloads × query, item, output of a step, file name',
  target: '0 executed; the same bytes in environment, argv, stdin, prompt, file names, run.json',
  async prove(size, { seed }) {
    const place = workspace();
    const canary = join(dirname(place.dir), CANARY);
    place.write('skills/carry/pipeline.yaml', CARRY);
    place.write('skills/ask/pipeline.yaml', ASK);
    for (const skill of ['carry', 'ask']) place.write(`skills/${skill}/probe.sh`, PROBE);
    const payloads = shellPayloads(PAYLOADS[size], seed, canary);
    const runs = Math.ceil(payloads.length / PER_RUN);
    const carried = await trials(runs, RUNS_AT_ONCE, (at) =>
      carry(payloads.slice(at * PER_RUN, (at + 1) * PER_RUN), place),
    );
    const asked = await trials(payloads.length, RUNS_AT_ONCE, (at) => ask(payloads[at] as string, place));
    return {
      tried: payloads.length,
      faults: [...carried.faults, ...asked.faults, ...(await pasted(place, canary)), ...executed(place)],
      also: `each in 16 places, by ${runs + payloads.length} runs`,
    };
  },
  bare: {
    of: 'the text pasted into `bash -c`',
    async prove(size, { seed, dir }) {
      const canary = join(dir, CANARY);
      const payloads = shellPayloads(PAYLOADS[size], seed, canary);
      const faults = payloads.filter((payload) => {
        spawnSync('bash', ['-c', `echo ${payload}`], { cwd: dir, timeout: 5_000, env: { PATH: process.env.PATH } });
        const isExecuted = existsSync(canary);
        rmSync(canary, { force: true });
        return isExecuted;
      });
      return { tried: payloads.length, faults };
    },
  },
  guards: [
    {
      says: 'a value is never evaluated again',
      file: 'src/core/expression.ts',
      find: '      return template.expression.evaluate(scope);',
      replace: `      {
        const value = template.expression.evaluate(scope);
        const again = typeof value === 'string' ? compileText(value, (() => ({})) as never) : undefined;
        return again && 'template' in again ? render(again.template, scope) : value;
      }`,
    },
    {
      says: 'arguments meet no shell',
      file: 'src/steps/shell.ts',
      find: 'argv: command ? command.map(String) :',
      replace: "argv: command ? [...BASH, command.join(' ')] :",
    },
    {
      says: 'a script holds no template',
      file: 'src/load/text-files.ts',
      find: '  if (!isVerbatim) return compileNode(value, reading.notes);',
      replace: '  return compileNode(value, reading.notes);',
    },
  ],
};

async function carry(payloads: readonly string[], place: Workspace): Promise<string[]> {
  const server = await mockServer(() => turn({ text: 'seen' }));
  const names = asFileNames(payloads);
  const query = payloads.at(-1) as string;
  try {
    const inputs = Object.entries({ items: payloads, names }).flatMap(([name, value]) => [
      '--input',
      `${name}=${JSON.stringify(value)}`,
    ]);
    const asking = { OPENAI_BASE_URL: server.url, OPENAI_API_KEY: 'a-key', OPENAI_MODEL: 'm' };
    const ran = await place.pipeline(['run', '--json', ...inputs, '--', 'carry', query], asking);
    if (ran.code !== 0) return [`exit ${ran.code}: ${ran.stderr.slice(-600)}`];
    const { dir } = JSON.parse(ran.stdout) as { readonly dir: string };
    const { query: told, result } = JSON.parse(readFileSync(join(dir, 'run.json'), 'utf8')) as Told;
    const prompts = server.requests.map((request) => bodyOf(request).messages.at(-1)?.content ?? '');
    return [
      ...differences('run.json query', [told, result.query], [query, query]),
      ...differences('run.json output', result.items, payloads),
      ...differences(
        'run.json name',
        result.names.map(({ name }) => name),
        names,
      ),
      ...differences('prompt', prompts.toSorted(), payloads.toSorted()),
      ...['item', 'output'].flatMap((step) => [
        ...['env', 'argv', 'stdin'].flatMap((file) =>
          differences(`${step} ${file}`, published(dir, step, payloads.length, file), payloads),
        ),
        ...differences(
          `${step} query`,
          published(dir, step, payloads.length, 'query'),
          payloads.map(() => query),
        ),
      ]),
      ...['left', 'saved'].flatMap((step) =>
        differences(
          `name of a ${step} file`,
          names.map((_, at) => onlyName(join(dir, step, String(at)))),
          names,
        ),
      ),
    ];
  } finally {
    await server.close();
  }
}

interface Told {
  readonly query: string;
  readonly result: {
    readonly query: string;
    readonly items: readonly string[];
    readonly names: readonly { readonly name: string }[];
  };
}

const published = (dir: string, step: string, count: number, file: string) =>
  Array.from({ length: count }, (_, at) => readFileSync(join(dir, step, String(at), file), 'utf8'));

const onlyName = (dir: string) => readdirSync(dir).join('/');

function differences(where: string, found: readonly string[], wanted: readonly string[]): string[] {
  if (found.length !== wanted.length) return [`${where}: ${found.length} values, not ${wanted.length}`];
  return found.flatMap((value, at) =>
    Buffer.from(value).equals(Buffer.from(wanted[at] as string))
      ? []
      : [`${where}: ${JSON.stringify(wanted[at]?.slice(0, 120))} came as ${JSON.stringify(value.slice(0, 120))}`],
  );
}

async function ask(query: string, place: Workspace): Promise<string[]> {
  const ran = await place.pipeline(['run', '--json', '--', 'ask', query]);
  if (ran.code !== 0) return [`query ${JSON.stringify(query)}: exit ${ran.code}: ${ran.stderr.slice(-600)}`];
  const { dir } = JSON.parse(ran.stdout) as { readonly dir: string };
  const told = JSON.parse(readFileSync(join(dir, 'run.json'), 'utf8')) as { query: string; result: string };
  const files = ['query', 'env', 'argv', 'stdin'].map((file) => readFileSync(join(dir, file), 'utf8'));
  return differences('query', [told.query, told.result, ...files], [told.query, told.result, ...files].fill(query));
}

/** A script with a template in it is refused before anything runs. */
async function pasted(place: Workspace, canary: string): Promise<string[]> {
  place.write('skills/pasting/pipeline.yaml', PASTING);
  const ran = await place.pipeline(['run', '--', 'pasting', `$(touch ${canary})`]);
  return ran.code === 2 ? [] : [`a script that holds a template was run: exit ${ran.code}`];
}

/** Wherever it was that something touched the file. */
function executed(place: Workspace): string[] {
  const base = dirname(place.dir);
  return readdirSync(base, { recursive: true, encoding: 'utf8' })
    .filter((path) => path === CANARY || path.endsWith(`/${CANARY}`))
    .map((path) => `executed: ${path} is there`);
}
