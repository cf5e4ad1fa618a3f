/** What a step may touch while it runs, put together from the session and the pipeline it stands in. */
import type { Folders, StepContext } from '../core/context.js';
import type { RunEvent } from '../core/events.js';
import type { Delta } from '../core/model.js';
import type { StepPath } from '../core/outcome.js';
import type { Redactor } from '../core/secrets.js';
import type { createTallies } from './budget.js';
import type { LeafTools } from './leaf-tools.js';
import type { StepDir } from './run-dir.js';
import type { Running } from './running.js';

/** What is the same for all steps of a session. */
export interface SessionParts
  extends Pick<
    StepContext,
    | 'environment'
    | 'models'
    | 'tools'
    | 'placeholder'
    | 'processes'
    | 'sandbox'
    | 'ask'
    | 'clock'
    | 'random'
    | 'newId'
    | 'findSkill'
  > {
  onDelta(path: StepPath, delta: Delta): void;
  /** Undefined where the environment holds no secret. */
  readonly redactor: Redactor | undefined;
}

export function contextMaker(
  parts: SessionParts,
  tallyOf: ReturnType<typeof createTallies>,
  record: (event: RunEvent) => Promise<void>,
): LeafTools['context'] {
  return (task, around, attempt, stepDir, signal, emitted): StepContext => {
    const shown = deltasWithout(parts.redactor, (delta) => parts.onDelta(task.path, delta));
    return {
      path: task.path,
      step: task.step,
      folders: foldersOf(stepDir, around.folders),
      query: around.roots.query,
      inputs: around.inputs,
      permissions: around.permissions,
      readable: around.readable,
      held: around.held,
      stepKey: attempt.stepKey,
      keyHash: attempt.keyHash,
      continues: attempt.continues,
      goesOn: attempt.goesOn,
      hold: attempt.hold,
      judge: attempt.judge,
      signal,
      environment: parts.environment,
      placeholder: parts.placeholder,
      clock: parts.clock,
      processes: parts.processes,
      sandbox: parts.sandbox,
      ask: parts.ask,
      models: parts.models,
      tools: parts.tools,
      budget: tallyOf(task.path),
      findSkill: parts.findSkill,
      random: parts.random,
      newId: parts.newId,
      async emit(event) {
        if (event.type === 'round') shown.end();
        await record(event);
        emitted(event);
      },
      redact: (text) => parts.redactor?.text(text) ?? text,
      onDelta: shown.push,
    };
  };
}

function foldersOf(own: StepDir, { run, skill, project, inputs }: Running['folders']): Folders {
  const { dir: step, work, prompt, transcript, stdout, stderr } = own;
  return { step, work, prompt, transcript, stdout, stderr, run, skill, project, inputs };
}

/** A secret may come in pieces: its beginning is held back until it is known to be none, or the round is over. */
function deltasWithout(redactor: Redactor | undefined, show: (delta: Delta) => void) {
  if (!redactor) return { push: show, end: () => undefined };
  const filters = { text: redactor.texts(), reasoning: redactor.texts() };
  const pass = (type: Delta['type'], text: string) => {
    if (text !== '') show({ type, text });
  };
  return {
    push: ({ type, text }: Delta) => pass(type, filters[type].push(text)),
    end() {
      pass('reasoning', filters.reasoning.end());
      pass('text', filters.text.end());
    },
  };
}
