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
