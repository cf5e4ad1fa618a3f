/** The pipelines that are measured, as text. */

/** One agent that has to answer with an object. */
export const ONE_AGENT = `version: 1
name: one-agent
steps:
  - id: answer
    agent: { model: "openai/mock", prompt: Do the job., tools: [list_files] }
    output: { type: object, properties: { result: { type: string } }, required: [result], additionalProperties: false }
`;

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
