/** A model that answers each step with the turns that a test gives it. */
import { Fault } from '../core/faults.js';
import { sha256 } from '../core/json.js';
import type { Provider } from '../core/model.js';
import { closest } from '../core/step-pattern.js';
import { sketchProvider } from '../providers/sketch.js';
import { createTurns } from '../providers/turns.js';
import type { AgentTurns } from './skill-test.js';

/** @param rest what answers for steps without turns */
export function turnsModel(steps: readonly AgentTurns[], rest: 'sketch' | 'nobody'): Provider {
  const turns = createTurns('The test');
  const sketch = rest === 'sketch' ? sketchProvider() : undefined;
  return {
    name: 'turns',
    ...(sketch ? { placeholder: true } : {}),
    async complete(request, options) {
      const { step = '', signal, onDelta } = options;
      signal.throwIfAborted();
      const agent = closest(steps, step);
      if (!agent && sketch) return sketch.complete(request, options);
      const conversation = sha256(JSON.stringify([step, request.system, request.messages[0] ?? null]));
      const reply = agent && (await turns.next(agent.turns, { conversation, request, signal }));
      if (!reply) throw outOfTurns(step, agent);
      if (reply.text !== '') onDelta?.({ type: 'text', text: reply.text });
      return reply;
    },
  };
}

function outOfTurns(step: string, agent: AgentTurns | undefined): Fault {
  const message = agent
    ? `the test has no turn left for "${step}": "${agent.pattern}" has ${agent.turns.length}`
    : `the test has no turns for "${step}"`;
  return new Fault('provider.refused', message, {
    hint: 'Add a turn that resolves, or model: sketch for the steps without turns.',
  });
}
