/** A pipeline of random steps, the same for the same numbers, whose processes take a different time whenever they run. */

/** bash: up to 60 ms. */
const PAUSE = 'sleep "0.0$((RANDOM % 7))"';
const COLOURS = ['red', 'green', 'blue', 'white', 'black'];

/** By path: the files of a project, with the pipeline in pipeline.yaml. */
export function randomPipeline(random: () => number): Readonly<Record<string, string>> {
  const below = (count: number) => Math.floor(random() * count);
  const count = 5 + below(4);
  const steps = Array.from({ length: count }, (_, at) => {
    const needs = Array.from({ length: at }, (_, before) => `s${before}`).filter(() => random() < 0.4);
    const make = KINDS[(at + below(2)) % KINDS.length] as Kind;
    return make(`s${at}`, needs, COLOURS.slice(0, 2 + below(4)));
  });
  const all = Array.from({ length: count }, (_, at) => `s${at}: '\${{ steps.s${at}.output }}'`);
  return {
    'pipeline.yaml': `version: 1\nname: random\nlimits: { max_parallel: ${2 + below(3)} }\nsteps:\n${steps.join('')}result: { ${all.join(', ')} }\n`,
    'skills/inner/SKILL.md': '---\nname: inner\ndescription: Paints.\n---\nPaint.\n',
    'skills/inner/pipeline.yaml': INNER,
  };
}

type Kind = (id: string, needs: readonly string[], items: readonly string[]) => string;

const head = (id: string, needs: readonly string[]) => `  - id: ${id}\n    needs: [${needs.join(', ')}]\n`;
const listed = (items: readonly string[]) => `[${items.join(', ')}]`;
/** What it was given, and what the steps before it have published. */
const read = (needs: readonly string[]) => `[${needs.map((id) => `'\${{ steps.${id}.output }}'`).join(', ')}]`;

const KINDS: readonly Kind[] = [
  (id, needs) => `${head(id, needs)}    shell:
      run: |
        ${PAUSE}
        tee ${id}.txt
      stdin: ${read(needs)}
`,
  (id, needs, items) => `${head(id, needs)}    foreach: ${listed(items)}
    shell:
      run: |
        ${PAUSE}
        echo "$COLOUR" > ${id}.txt
        echo "${id} $COLOUR"
      env: { COLOUR: '\${{ item }}' }
    save: ${id}.md
`,
  (id, needs, items) => `${head(id, needs)}    foreach: ${listed(items)}
    agent: { instructions: You remark on a colour., prompt: 'Remark on \${{ item }}.' }
    output: { type: object, properties: { remark: { type: string } }, required: [remark] }
    save: ${id}.json
`,
  (id, needs) => `${head(id, needs)}    pipeline: { skill: inner }
`,
  (id, needs) => `${head(id, needs)}    repeat: { until: iteration == 2, max: 3 }
    steps:
      - { id: ${id}_one, needs: [], shell: { run: '${PAUSE}; echo one | tee ${id}_one.txt' } }
      - { id: ${id}_two, needs: [], shell: { run: '${PAUSE}; echo two | tee ${id}_two.txt' } }
      - id: ${id}_both
        needs: [${id}_one, ${id}_two]
        shell: { run: 'cat "$PIPELINE_RUN_DIR"/${id}_*.txt' }
    result: \${{ steps.${id}_both.output }}
`,
  (id, needs) => `${head(id, needs)}    set: { given: ${read(needs)} }
    save: ${id}.json
`,
];

/** Without a result: what it gives is the list of its files. */
const INNER = `version: 1
name: inner
steps:
  - id: paint
    foreach: [oak, elm, ash]
    shell:
      run: |
        ${PAUSE}
        echo "$TREE" > tree.txt
      env: { TREE: '\${{ item }}' }
`;
