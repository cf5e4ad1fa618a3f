/** Fuzzes the loader with its checks, over damaged pipeline files that have real files beside them. */
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadPlan } from '../../src/load/load.js';
import { STEP_KINDS, TOOLS } from '../../src/run.js';
import { BUNDLED_SKILLS, FIXTURES } from '../../test/support/cli.js';
import { filesIn } from './front-matter.js';
import { damagedBytes, mutated } from './mutate.js';
import { wrongProblems } from './problems.js';
import type { Target } from './target.js';

const WORDS = [
  ...[
    'version:',
    'name:',
    'inputs:',
    'steps:',
    'result:',
    'limits:',
    'permissions:',
    'models:',
    'id:',
    'needs:',
    'when:',
    'foreach:',
  ],
  ...[
    'repeat:',
    'until:',
    'max:',
    'agent:',
    'shell:',
    'set:',
    'gate:',
    'end:',
    'pipeline:',
    'skill:',
    'output:',
    'assert:',
    'that:',
  ],
  ...[
    'save:',
    'artifacts:',
    'retry:',
    'timeout:',
    'on_error:',
    'min_success:',
    'max_items:',
    'run:',
    'command:',
    'env:',
    'stdin:',
  ],
  ...[
    '${{ steps.a.output }}',
    '${{ item }}',
    '${{ query',
    '}}',
    '${{',
    'steps.a.output.x',
    'previous',
    'iteration',
    'inputs.x',
  ],
  ...[
    'size(',
    '.map(x, x)',
    '.filter(x, ',
    ' == ',
    ' in ',
    ' ? ',
    '&&',
    '!',
    '[0]',
    '.matches("(a+)+$")',
    'has(',
    '"\\u0000"',
  ],
  ...[
    'type: string',
    'type: [string, "null"]',
    '$ref: "#"',
    'allOf: [{}]',
    'enum: []',
    'pattern: "(a+)+$"',
    'const:',
    'maxItems: 9',
  ],
  ...[
    '&a ',
    '*a',
    '<<: *a',
    '!!str ',
    '|',
    '>-\n',
    '? ',
    '- ',
    '  ',
    '\t',
    '---\n',
    '...\n',
    '#',
    '{',
    '[',
    '"',
    "'",
    '__proto__:',
  ],
];

export const pipeline: Target = {
  name: 'pipeline.yaml',
  inputs: 50,
  async open(dir) {
    const folders = [join(FIXTURES, 'pipelines'), join(FIXTURES, 'bad'), BUNDLED_SKILLS];
    const corpus = { texts: folders.flatMap((folder) => filesIn(folder, /\.ya?ml$/)), words: WORDS };
    const place = join(dir, 'skills/idea-spark');
    cpSync(join(BUNDLED_SKILLS, 'idea-spark'), place, { recursive: true });
    return (random) => {
      const input = damagedBytes(mutated(corpus, random), random);
      writeFileSync(join(place, 'pipeline.yaml'), input);
      return {
        input,
        async read() {
          const options = { projectDir: dir, kinds: STEP_KINDS, tools: TOOLS, roles: ['default'] };
          const { plan, problems } = await loadPlan('idea-spark', options);
          return wrongProblems(problems, plan !== undefined);
        },
      };
    };
  },
};
