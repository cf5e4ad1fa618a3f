/** REACT_AGENT.md beside a SKILL.md: notes for this runner, which SKILL.md itself does not hold. */
import { expect, it } from 'vitest';
import type { ModelRequest } from '../../src/core/model.js';
import { sketchProvider } from '../../src/providers/sketch.js';
import { project, type TestProject } from '../support/project.js';

/** The system texts of the requests of a run, a resumed one if it is said so. */
async function systemsOf(place: TestProject, request: { target?: string; resume?: true }) {
  const systems: string[] = [];
  const sketch = sketchProvider();
  const watched = {
    ...sketch,
    complete: (asked: ModelRequest, options: Parameters<typeof sketch.complete>[1]) => {
      systems.push(asked.system);
      return sketch.complete(asked, options);
    },
  };
  const ran = await place.run({ ...request, model: 'watched', providers: { watched } });
  expect(ran).toMatchObject({ status: 'done' });
  return systems;
}

it('reach the model of a skill that is one agent, after its own text, as they are', async () => {
  const place = project({
    'skills/one/SKILL.md': '---\nname: one\ndescription: d\n---\nAnswer plainly.\n',
    'skills/one/REACT_AGENT.md': 'Use write_file. ${{ query }} is no expression here.\n',
  });
  const [system] = await systemsOf(place, { target: 'one' });
  expect(system).toMatch(/Answer plainly\.\s+Use write_file\. \$\{\{ query \}\} is no expression here\./);
});

it('reach the model of a step whose agent is that skill, and a change of them does the step again', async () => {
  const place = project({
    'skills/one/SKILL.md': '---\nname: one\ndescription: d\n---\nAnswer plainly.\n',
    'skills/one/REACT_AGENT.md': 'Use write_file.\n',
    'pipeline.yaml': `version: 1
name: t
steps:
  - id: a
    agent: { skill: one, prompt: '\${{ query }}' }
    output: { type: object, properties: { title: { type: string } }, required: [title] }
`,
  });
  expect(await systemsOf(place, {})).toEqual([expect.stringMatching(/Answer plainly\.\s+Use write_file\./)]);
  expect(await systemsOf(place, { resume: true })).toEqual([]);
  place.write('skills/one/REACT_AGENT.md', 'Use patch_file.\n');
  expect(await systemsOf(place, { resume: true })).toEqual([expect.stringContaining('Use patch_file.')]);
});
