/** The pipelines that are measured, as text. */

const ANSWER =
  '{ type: object, properties: { result: { type: string } }, required: [result], additionalProperties: false }';

/** One agent that has to answer with an object, of a model that follows the script of mock.mjs; no limit is in its way. */
export function oneAgent(script, tool = 'list_files') {
  return `version: 1
name: one-agent
limits: { tokens: 1000000000 }
steps:
  - id: answer
    agent: { model: "openai/mock:${script}", prompt: Do the job., tools: [${tool}], max_rounds: 400, dead_loop_window: 0 }
    output: ${ANSWER}
`;
}

/** A file of 2 KB for the tool `read_file`. */
export const NOTES = Array.from({ length: 28 }, (_, index) => `Note ${index} `.padEnd(64, 'y')).join('\n');

/** The same agent for each of many items. */
export function manyAgents(script, count, atOnce) {
  const items = Array.from({ length: count }, (_, index) => `"${index}"`);
  return `version: 1
name: many-agents
limits: { tokens: 1000000000, max_parallel: ${atOnce} }
steps:
  - id: answers
    foreach: [${items.join(', ')}]
    agent: { model: "openai/mock:${script}", prompt: "Do \${{ item }}.", tools: [list_files] }
    output: ${ANSWER}
`;
}

/** Shell steps that do nothing: one after the other, or as many at once as `atOnce` says. */
export function shellSteps(count, atOnce) {
  const chain = atOnce === 1;
  const head = [
    'version: 1',
    `name: shell-${atOnce}`,
    ...(chain ? [] : [`limits: { max_parallel: ${atOnce} }`]),
    'steps:',
  ];
  const steps = Array.from({ length: count }, (_, index) => [
    `  - id: s${index}`,
    ...(chain ? [] : ['    needs: []']),
    '    shell: { run: "true" }',
  ]);
  return `${[...head, ...steps.flat()].join('\n')}\n`;
}

/** A plan of many steps, which read earlier ones and share schema files; by path in its folder. */
export function largePlan(stepCount, schemaCount) {
  const schema = {
    type: 'object',
    properties: { title: { type: 'string' }, verdict: { enum: ['advance', 'revise'] } },
    required: ['title', 'verdict'],
    additionalProperties: false,
  };
  const files = Object.fromEntries(
    Array.from({ length: schemaCount }, (_, index) => [
      `schemas/s${index}.json`,
      JSON.stringify({ title: `Schema ${index}`, ...schema }, null, 2),
    ]),
  );
  const steps = Array.from({ length: stepCount }, (_, index) => {
    const before = `steps.s${Math.floor(index / 2)}.output`;
    const about = index === 0 ? '' : `, on \${{ ${before}.title }}`;
    const how =
      index % 2 === 0
        ? `    agent: { prompt: 'About \${{ query }}${about}' }`
        : `    shell: { command: [node, -e, "0", '\${{ ${before}.verdict }}'] }`;
    return [`  - id: s${index}`, how, `    output: schemas/s${index % schemaCount}.json`];
  });
  return { ...files, 'pipeline.yaml': `${['version: 1', 'name: large', 'steps:', ...steps.flat()].join('\n')}\n` };
}
