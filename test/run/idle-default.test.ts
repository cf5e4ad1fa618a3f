/** How long a model may be silent, unless its step says otherwise. */
import { expect, it } from 'vitest';
import type { Provider } from '../../src/core/model.js';
import { sketchProvider } from '../../src/providers/sketch.js';
import { project } from '../support/project.js';

const agent = (id: string, agentKeys = '', stepKeys = '') => `
  - id: ${id}
    agent: { instructions: Answer., prompt: x${agentKeys} }
    output: { type: object, properties: { title: { type: string } }, required: [title] }${stepKeys}`;

it('is two minutes for a model call of every adapter, or the idle_timeout of the step', async () => {
  const place = project({
    'pipeline.yaml': `version: 1\nname: t\nsteps:${agent('react')}${agent('llm', ', adapter: llm')}${agent('own', '', '\n    idle_timeout: 7s')}\n`,
  });
  const sketch = sketchProvider();
  const idle: Record<string, number> = {};
  const watched: Provider = {
    ...sketch,
    complete(request, options) {
      idle[options.step ?? ''] = options.idleTimeoutMs;
      return sketch.complete(request, options);
    },
  };
  expect(await place.run({ model: 'watched', providers: { watched } })).toMatchObject({ status: 'done' });
  expect(idle).toEqual({ react: 120_000, llm: 120_000, own: 7_000 });
});
