/** Runs whose reports are looked at: small pipelines, really run. */
import { project, type Ran } from '../support/project.js';

export interface Made {
  readonly ran: Ran;
  readonly dir: string;
  /** Goes on with it. */
  resume(): Promise<Ran>;
}

const ENTRY = {
  type: 'object',
  properties: { name: { type: 'string' }, length: { type: 'integer' } },
  required: ['name', 'length'],
};

/** An agent with tools and reasoning, a loop with an item that fails, a gate that nobody answers, a document with a picture. */
export async function gardenRun(): Promise<Made> {
  const it = project({
    'notes.md': 'Robins sing all year.',
    'pixel.png.base64': PIXEL,
    'guide.md': '# The guide\n\nA *robin* [sings](https://example.org/robin).\n\n![a pixel](img/pixel.png)\n',
    'turns.yaml': `turns:
  outline:
    - { text: I look at the notes first., reasoning: The notes may name birds., calls: [{ name: read_file, arguments: { path: notes.md } }], usage: { input: 120, output: 30, cached: 40 } }
    - { calls: [{ name: resolve, arguments: { birds: [robin, wren, heron] } }], usage: { input: 160, output: 20 } }
  entries/0: [{ resolve: { name: robin, length: 14 } }]
  entries/1: [{ resolve: { name: wren, length: 10 } }]
  entries/2:
    - { text: It is large., resolve: { name: heron, length: large } }
    - { resolve: { name: heron, length: very large } }
`,
    'pipeline.yaml': `version: 1
name: garden
description: Birds of a garden.
steps:
  - id: outline
    title: Choose the birds
    agent: { instructions: Choose birds. Nothing else., prompt: 'Asked: \${{ query }}', tools: [read_file], max_rounds: 4 }
    output: { type: object, properties: { birds: { type: array, items: { type: string }, maxItems: 5 } }, required: [birds] }
    save: outline.json
  - id: entries
    title: Write the entries
    foreach: steps.outline.output.birds
    min_success: 2
    agent: { instructions: Write one entry., prompt: 'Bird: \${{ item }}', max_rounds: 2 }
    output: ${JSON.stringify(ENTRY)}
  - id: never
    when: size(query) > 1000
    set: { x: 1 }
  - id: rounds
    repeat: { until: output.check.n >= 1, max: 3 }
    steps:
      - id: check
        set: { n: '\${{ iteration }}' }
  - id: page
    title: Make a page of it
    shell: { run: 'mkdir img && base64 -d "$PIPELINE_PROJECT_DIR/pixel.png.base64" > img/pixel.png && cp "$PIPELINE_PROJECT_DIR/guide.md" . && echo made >&2' }
  - id: publish
    title: Shall it go out?
    gate: { ask: 'Publish the guide?', choices: [publish, not yet], reject: [not yet] }
  - id: last
    set: { published: true }
result: { birds: '\${{ steps.outline.output.birds }}' }
`,
  });
  const request = { query: 'birds of a garden', model: 'script:turns.yaml' };
  const ran = await it.run(request);
  return { ran, dir: ran.dir, resume: () => it.run({ ...request, resume: true }) };
}

/** One pixel. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** What would run, load or mislead if any of it were more than text. */
export const HOSTILE = `<script>document.title='owned'</script><img src=x onerror="document.title='owned'"><svg/onload=alert(1)></style></script></title>
[a link](javascript:document.title='owned') <a href="javascript:alert(1)">b</a> ![p](https://example.org/track.png) [c](data:text/html,x)
\u001b[31mred\u001b[0m \u202Ereversed "quoted' &amp; {{x}} \${{ secrets.KEY }}`;

/** Everything that a model, a file, a query or an author says is hostile. */
export async function hostileRun(): Promise<Made> {
  const words = JSON.stringify(HOSTILE);
  const it = project({
    'evil.md': `# ${HOSTILE}\n\n${HOSTILE}\n\n\`\`\`html\n${HOSTILE}\n\`\`\`\n`,
    'evil.svg': '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><script>alert(2)</script></svg>',
    'turns.json': {
      turns: {
        say: [
          { text: HOSTILE, reasoning: HOSTILE, calls: [{ name: 'read_file', arguments: { path: HOSTILE } }] },
          { resolve: { [HOSTILE.slice(0, 60)]: HOSTILE, said: HOSTILE, list: [HOSTILE, { deep: HOSTILE }] } },
        ],
      },
    },
    'pipeline.yaml': `version: 1
name: hostile
steps:
  - id: say
    title: ${JSON.stringify(HOSTILE.slice(0, 90))}
    agent: { instructions: ${words.replaceAll('${{', '$ {{')}, prompt: '\${{ query }}', tools: [read_file], max_rounds: 3 }
    output: { type: object }
    save: said.json
  - id: page
    shell: { run: 'cp "$PIPELINE_PROJECT_DIR"/evil.* . && cp evil.md "<b>bold.md" && cp evil.md "javascript:x.txt"' }
  - id: fail
    shell: { run: 'cat "$PIPELINE_PROJECT_DIR/evil.md" >&2; exit 3' }
`,
  });
  const request = { query: HOSTILE, model: 'script:turns.json' };
  const ran = await it.run(request);
  return { ran, dir: ran.dir, resume: () => it.run({ ...request, resume: true }) };
}

/** A loop over so many items; of every hundredth the assert fails. */
export async function longRun(items: number): Promise<Made> {
  const it = project({
    'pipeline.yaml': `version: 1
name: long
inputs: { words: { type: array, maxItems: ${items}, items: { type: string } } }
limits: { max_parallel: 16 }
steps:
  - id: look
    foreach: inputs.words
    min_success: 1
    set: { word: '\${{ item }}', about: 'what \${{ item }} means' }
    assert: [{ that: '!output.word.endsWith("00")', message: 'a word with a round number: \${{ output.word }}' }]
result: \${{ steps.look.output.size() }}
`,
  });
  const words = Array.from({ length: items }, (_, at) => `word-${at}`);
  const request = { query: 'many words', inputs: { words } };
  const ran = await it.run(request);
  return { ran, dir: ran.dir, resume: () => it.run({ ...request, resume: true }) };
}
