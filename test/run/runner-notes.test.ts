/** REACT_AGENT.md beside a SKILL.md: notes for this runner, which SKILL.md itself does not hold. */
import { expect, it } from 'vitest';
import type { ModelRequest } from '../../src/core/model.js';
import { sketchProvider } from '../../src/providers/sketch.js';
import { project } from '../support/project.js';

it('reach the model of a skill that is one agent, after its own text, as they are', async () => {
  const place = project({
    'skills/one/SKILL.md': '---\nname: one\ndescription: d\n---\nAnswer plainly.\n',
    'skills/one/REACT_AGENT.md': 'Use write_file. ${{ query }} is no expression here.\n',
  });
  const requests: ModelRequest[] = [];
  const sketch = sketchProvider();
  const watched = {
    ...sketch,
    complete: (request: ModelRequest, options: Parameters<typeof sketch.complete>[1]) => {
      requests.push(request);
      return sketch.complete(request, options);
    },
  };
  const ran = await place.run({ target: 'one', model: 'watched', providers: { watched } });
  expect(ran).toMatchObject({ status: 'done' });
  expect(requests[0]?.system).toMatch(/Answer plainly\.\s+Use write_file\. \$\{\{ query \}\} is no expression here\./);
});
