/** Secrets of the environment, in each form, let into a run wherever it takes something in, then looked for wherever it gives something out. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { turn } from '../../test/support/chat.js';
import { type Workspace, workspace } from '../../test/support/cli.js';
import { errorReply, type MockRequest, mockServer } from '../../test/support/mock-server.js';
import type { Row } from '../row.js';
import { everyForm, formed, SECRETS, tracesIn } from '../secret-forms.js';

const PIPELINE = `version: 1
name: leaky
permissions: { env: [${Object.keys(SECRETS).join(', ')}] }
limits: { max_parallel: 4 }
steps:
  - id: loud
    on_error: continue
    shell:
      run: |
        cat "$PIPELINE_SKILL_DIR/forms.txt"
        # Written in pieces that cut every form, one write after the other.
        dd bs=7 status=none < "$PIPELINE_SKILL_DIR/forms.txt"
        for name in ${Object.keys(SECRETS).join(' ')}; do printf '%s\\n' "\${!name}"; done >&2
        tail -n 40 "$PIPELINE_SKILL_DIR/forms.txt" | dd bs=5 status=none >&2
        exit 3
  - id: reader
    needs: [loud]
    agent:
      prompt: 'It said: \${{ steps.loud.error != null && has(steps.loud.error.stderr) ? steps.loud.error.stderr : "" }}'
      tools: [read_file, search_files, list_files]
      files: [forms.txt]
    output: { type: object, properties: { word: { type: string } }, required: [word] }
  - id: program
    needs: [reader]
    on_error: continue
    agent:
      adapter: command
      command: [bash, '\${{ skill.dir }}/agent.sh']
      prompt: say it
    output: { type: object, properties: { word: { type: string } }, required: [word] }
  - id: given
    needs: [reader]
    on_error: continue
    retry: { attempts: 2, backoff: 1ms }
    shell: { run: 'cat "$PIPELINE_SKILL_DIR/forms.txt" > "$PIPELINE_OUTPUT"; exit 3' }
  - id: unread
    needs: [reader]
    min_success: 0
    foreach: [${formed.map((_, at) => at).join(', ')}]
    shell: { run: 'cat "$PIPELINE_SKILL_DIR/forms/$AT"; echo "{"', env: { AT: '\${{ item }}' } }
    output: { type: object }
  - id: printed
    needs: [reader]
    min_success: 0
    foreach: [${formed.map((_, at) => at).join(', ')}]
    shell: { run: 'cat "$PIPELINE_SKILL_DIR/forms/$AT"', env: { AT: '\${{ item }}' } }
  - id: left
    needs: [reader]
    min_success: 0
    foreach: [${formed.map((_, at) => at).join(', ')}]
    shell:
      # Over the edge of the pieces in which files are looked through.
      run: 'head -c 65530 /dev/zero > big.bin; cat "$PIPELINE_SKILL_DIR/forms/$AT" >> big.bin; echo done'
      env: { AT: '\${{ item }}' }
`;
const READING = [
  turn({ calls: [{ name: 'read_file', args: { path: 'forms.txt' } }] }),
  turn({ calls: [{ name: 'search_files', args: { text: 'it is', path: '.' } }] }),
  turn({
    calls: [
      { name: 'read_file', args: { path: 'long.txt' } },
      { name: 'search_files', args: { text: 'far' } },
    ],
  }),
  turn({
    calls: [
      { name: 'list_files', args: { path: '.' } },
      { name: 'read_file', args: { path: 'none "x"' } },
    ],
  }),
  // No request repeats the last words of a conversation.
  turn({ text: everyForm, calls: [{ name: 'resolve', args: { word: 'w' } }] }),
];

export const row: Row = {
  name: 'secrets',
  promise: `${Object.keys(SECRETS).length} secrets × ${new Set(formed.map(({ form }) => form)).size} forms × every sink`,
  target: '0 found, whole or for the most part',
  async prove() {
    const place = leakySkill();
    const server = await mockServer(answerer());
    const asking = { OPENAI_BASE_URL: server.url, OPENAI_API_KEY: 'a-key', OPENAI_MODEL: 'm', ...SECRETS };
    const sinks = new Map<string, string>();
    const run = async (name: string, args: readonly string[]) => {
      const ran = await place.pipeline(args, asking);
      sinks.set(`stdout of ${name}`, ran.stdout).set(`stderr of ${name}`, ran.stderr);
      return ran;
    };
    try {
      const ran = await run('run --json', ['run', 'leaky', 'a query', '--json', '--record', 'cassette']);
      if (ran.code === 2) throw new Error(ran.stdout + ran.stderr);
      await run('run', ['run', 'leaky', 'another query']);
      for (const words of LOOKS) await run(words, words.split(' '));
      for (const [at, { body }] of server.requests.entries()) sinks.set(`request ${at}`, body);
      for (const file of ['skill_run', 'cassette'].flatMap((folder) => filesOf(join(place.dir, folder))))
        sinks.set(file.slice(place.dir.length), readFileSync(file).toString());
      const faults = [...sinks].flatMap(([sink, text]) => tracesIn(text).map((trace) => `${trace} in ${sink}`));
      return {
        tried: formed.length * sinks.size,
        faults: [...faults, ...notRefused(place), ...notMet(ran.code, server.requests, sinks)],
        also: `${sinks.size} sinks`,
      };
    } finally {
      await server.close();
    }
  },
  guards: [
    {
      says: 'what tools give is redacted before a model has it',
      file: 'src/agent/dispatch.ts',
      find: 'boundResult(redact(text),',
      replace: 'boundResult(text,',
    },
    {
      says: 'a secret is known in base64',
      file: 'src/core/secrets.ts',
      find: '    ...aligned,\n',
      replace: '',
    },
    {
      says: 'what may be the beginning of a secret is held back',
      file: 'src/core/secrets.ts',
      find: 'const begun = found.begun(text)?.length ?? 0;',
      replace: 'const begun = 0;',
    },
    {
      says: 'one that was cut short before is told too',
      file: 'src/core/secrets.ts',
      find: 'const clean = (text: string) => withoutCut(inText, inText.replace(text));',
      replace: 'const clean = inText.replace;',
    },
    {
      says: 'white space between the digits of an encoding is looked through',
      file: 'src/core/secret-finder.ts',
      find: "gap.length <= LONGEST_GAP ? '' : ' '",
      replace: "gap.length <= LONGEST_GAP ? '  ' : ' '",
    },
    {
      says: 'what a model says itself is put by name in its transcript',
      file: 'src/agent/transcript-writer.ts',
      find: 'return redact(text) === text ? text :',
      replace: 'return redact !== undefined ? text :',
    },
    {
      says: 'what a model says itself is put by name in a cassette',
      file: 'src/providers/record.ts',
      find: 'redact(masks.mask(text))',
      replace: 'masks.mask(text)',
    },
    {
      says: 'what was written to $PIPELINE_OUTPUT is not kept',
      file: 'src/engine/run-dir.ts',
      find: "fs.rmSync(join(dir, 'output.txt'), { recursive: true, force: true });",
      replace: 'void dir;',
    },
    {
      says: 'an output that holds one is refused',
      file: 'src/engine/done.ts',
      find: "refuseSecret(tools.redactor?.find(result.value), 'its output');",
      replace: '',
    },
    {
      says: 'a file that holds one is refused',
      file: 'src/engine/done.ts',
      find: 'refuseSecret(redactor && secretIn(file, redactor), relative(work, file)),',
      replace: '{ void file; },',
    },
  ],
};

/** Commands that show what a run left. */
const LOOKS = [
  'runs',
  'show leaky/latest',
  'show leaky/latest loud',
  'show leaky/latest reader',
  'show leaky/latest program',
  'show leaky/latest --json',
  'explain leaky/latest reader',
  'diff leaky/a-query leaky/another-query',
];

function leakySkill(): Workspace {
  const place = workspace();
  place.write('skills/leaky/pipeline.yaml', PIPELINE);
  place.write('skills/leaky/forms.txt', everyForm);
  for (const [at, { text }] of formed.entries()) place.write(`skills/leaky/forms/${at}`, text);
  // Across the place where a tool cuts a long line.
  const far = formed.flatMap(({ text }) => [290, 3_990].map((before) => `${'far '.repeat(before / 4)}${text} end\n`));
  place.write('skills/leaky/long.txt', far.join(''));
  place.write('skills/leaky/agent.sh', 'cat "$PIPELINE_SKILL_DIR/forms.txt"\n');
  return place;
}

/** Busy at first, with words that hold secrets; then the agent's turns; else an answer. */
function answerer() {
  let refused = 0;
  return ({ body }: MockRequest) => {
    if (refused++ < 1) return errorReply(503, { message: `busy: ${everyForm}` }, { 'retry-after': '0' });
    if (!body.includes('"search_files"')) return turn({ text: '{"word":"w"}' });
    const said = (JSON.parse(body) as { messages: { role: string }[] }).messages.filter(
      ({ role }) => role === 'assistant',
    );
    return READING[said.length] ?? { status: 400, body: '{"error":{"message":"no such turn"}}' };
  };
}

/** What a step writes into its own work folder is its own. */
const filesOf = (dir: string) =>
  readdirSync(dir, { recursive: true, withFileTypes: true, encoding: 'utf8' })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !/\/work\/(?!\.results)/.test(file));

/** Each form that was printed, and each that was left in a file, must have failed its item. */
function notRefused(place: Workspace): string[] {
  const failed = place
    .events('leaky/a-query')
    .flatMap((event) =>
      event.type === 'step_failed' && event.fault.code === 'step.secret_in_output' ? [event.path] : [],
    );
  return ['printed', 'left'].flatMap((step) =>
    formed.flatMap(({ name, form }, at) =>
      failed.includes(`${step}/${at}`) ? [] : [`${name} as ${form} was taken as what ${step} gave`],
    ),
  );
}

/** A search that finds nothing means nothing where nothing came by. */
function notMet(code: number | null, requests: readonly MockRequest[], sinks: ReadonlyMap<string, string>): string[] {
  const met = [...sinks.values()].join('');
  const names = Object.keys(SECRETS).filter((name) => !met.includes(`«redacted:${name}»`));
  return [
    ...(code === 8 || code === 1
      ? []
      : [`the run ended with ${code}: ${sinks.get('stderr of run --json')?.slice(-500)}`]),
    ...(requests.length >= 6 ? [] : [`only ${requests.length} requests`]),
    ...names.map((name) => `${name} was never met`),
    ...['transcript.ndjson', 'events.ndjson', 'run.json', 'stdout.log', 'stderr.log', 'pipeline.log'].flatMap((file) =>
      [...sinks.keys()].some((sink) => sink.endsWith(file)) ? [] : [`there is no ${file}`],
    ),
  ];
}
