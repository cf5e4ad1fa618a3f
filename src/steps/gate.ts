/** A person decides: at the terminal, by `pipeline approve` from elsewhere, or as the author said for when nobody is there. */
import type { Ask, StepContext } from '../core/context.js';
import { Fault } from '../core/faults.js';
import { type GateOffer, gateOffer } from '../core/gate.js';
import type { Json, JsonObject } from '../core/json.js';
import type { Inspection, KindResult, Look, StepKind } from '../core/kind.js';
import { nearest } from '../core/problems.js';
import {
  answerOf,
  type GateAnswer,
  type GateQuestion,
  personHere,
  readAnswer,
  writeAnswer,
  writeQuestion,
} from '../files/answers.js';

interface GateConfig extends JsonObject {
  readonly ask: string;
  readonly choices?: readonly string[];
  readonly reject?: readonly string[];
  /** `wait`, `fail`, or one of the choices. */
  readonly on_no_tty?: string;
}

const POLICIES = ['wait', 'fail'];
/** Choices that read as a refusal. */
const NO = new Set([
  'no',
  'reject',
  'rejected',
  'deny',
  'refuse',
  'decline',
  'cancel',
  'abort',
  'stop',
  '否',
  '不',
  '拒绝',
]);

export const gate: StepKind = {
  name: 'gate',
  schema: {
    type: 'object',
    description:
      'A person decides. Output: {choice, comment, by, at}. The answer holds for what was shown: changed content asks again.',
    properties: {
      ask: {
        type: 'string',
        minLength: 1,
        description: 'What the person is asked and shown, perhaps Markdown. One word ending in .md or .txt is a file.',
      },
      choices: {
        type: 'array',
        items: { type: 'string', minLength: 1 },
        minItems: 1,
        description: 'The possible answers; [approve, reject] unless set.',
      },
      reject: {
        type: 'array',
        items: { type: 'string' },
        description: 'The choices that end the run as refused, exit 5; [reject] if that is one of the choices.',
      },
      on_no_tty: {
        type: 'string',
        description:
          'Where nobody is at a terminal: wait ends the run as waiting, exit 7, until `pipeline approve`; fail fails the step; a choice is taken.',
      },
    },
    required: ['ask'],
    additionalProperties: false,
  },
  verbatim: ['choices', 'reject', 'on_no_tty'],
  textFiles: ['ask'],
  unkeyed: ['on_no_tty'],
  output: 'none',
  fence: true,
  waits: true,
  inspect(config, look): Inspection {
    sayProblems(config as GateConfig, look);
    return { files: [], tools: [], models: [], maxCalls: 0, startsProcess: false, showsPublished: true };
  },
  async run(config, context): Promise<KindResult> {
    const { ask, on_no_tty: policy = 'wait' } = config as GateConfig;
    const offer = gateOffer(config);
    const question: GateQuestion = { key: context.keyHash, title: context.step.title, ask, ...offer };
    const { step: folder } = context.folders;
    const earlier = await earlierAnswer(question, context);
    if (earlier) return decided(earlier, offer, context);
    writeQuestion(folder, question);
    if (context.ask) {
      const answer = await answerFromPerson(question, context.ask, context);
      return answer ? decided(answer, offer, context) : waiting(question, context);
    }
    if (policy === 'wait') return waiting(question, context);
    if (policy === 'fail') throw unanswered(context);
    const at = new Date(context.clock.now()).toISOString();
    return decided({ key: question.key, choice: policy, comment: '', by: 'on_no_tty', at }, offer, context);
  },
};

function sayProblems(config: GateConfig, look: Look): void {
  const { choices, reject } = gateOffer(config);
  for (const key of ['choices', 'reject']) {
    if (typeof config[key] === 'string') look.problem([key], `"${key}" is never templated`, 'Write a list of texts.');
  }
  for (const [at, choice] of choices.entries()) {
    const place = config.choices ? ['choices', at] : [];
    const hint = 'A choice is a word or a few, on one line.';
    if (choices.indexOf(choice) < at) look.problem(place, `the choice "${choice}" stands there twice`, 'Keep one.');
    if (choice.trim() === '') look.problem(place, 'a choice must not be blank', hint);
    else if (/\p{Cc}/u.test(choice)) look.problem(place, 'a choice must not hold control characters', hint);
    else if (choice.includes('${{')) look.problem(place, 'choices are never templated', 'Put what changes into `ask`.');
  }
  for (const [at, choice] of reject.entries()) {
    if (!choices.includes(choice)) sayUnknown(['reject', at], `"${choice}" is not one of the choices`, choice, choices);
  }
  const no = choices.find((choice) => NO.has(choice.toLowerCase()));
  if (config.reject === undefined && reject.length === 0 && no !== undefined) {
    const hint = `Write reject: [${no}] if it is to end the run as refused, or reject: [] if it is not.`;
    look.problem(['choices'], `"${no}" goes on, as every other choice does`, hint, 'warning');
  }
  const { on_no_tty: policy } = config;
  if (policy === undefined) return;
  const known = [...POLICIES, ...choices];
  if (!known.includes(policy)) {
    sayUnknown(['on_no_tty'], `"on_no_tty" is neither wait, nor fail, nor one of the choices`, policy, known);
  } else if (POLICIES.includes(policy) && choices.includes(policy)) {
    look.problem(['on_no_tty'], `"${policy}" is also one of the choices`, 'Give that choice another name.');
  }

  function sayUnknown(path: readonly (string | number)[], what: string, word: string, names: readonly string[]): void {
    const near = nearest(word, names);
    look.problem(path, what, near ? `Did you mean "${near}"?` : `Choices: ${choices.join(', ')}.`);
  }
}

/** What was answered to this very question before; an answer to another one is said, and not used. */
async function earlierAnswer(
  { key, choices }: GateQuestion,
  { path, folders, emit }: StepContext,
): Promise<GateAnswer | undefined> {
  const answer = readAnswer(folders.step);
  if (answer === undefined) return undefined;
  const say = (text: string) => emit({ type: 'step_notice', path, text });
  if (answer === 'damaged') await say('the file of its answer cannot be understood: it asks again');
  else if (answer.key !== key) {
    await say(`the content changed after the answer "${answer.choice}" of ${answer.by} at ${answer.at}: it asks again`);
  } else if (!choices.includes(answer.choice)) await say(`"${answer.choice}" is not one of its choices: it asks again`);
  else return answer;
  return undefined;
}

/** At the terminal, or meanwhile by `pipeline approve`. Undefined when the person leaves the question open. */
async function answerFromPerson(
  question: GateQuestion,
  ask: Ask,
  context: StepContext,
): Promise<GateAnswer | undefined> {
  const { path, folders, clock } = context;
  const over = new AbortController();
  const signal = AbortSignal.any([context.signal, over.signal]);
  const atTerminal = async (): Promise<GateAnswer | undefined> => {
    try {
      const { choice, comment } = await ask({ ...question, path }, signal);
      const at = new Date(clock.now()).toISOString();
      const answer = { key: question.key, choice, comment, by: personHere(), at };
      writeAnswer(folders.step, answer);
      return answer;
    } catch (error) {
      if (error instanceof Fault && error.data.code === 'run.unanswered') return undefined;
      throw error;
    }
  };
  try {
    return await Promise.race([atTerminal(), answerOf(folders.step, question, signal)]);
  } finally {
    over.abort(OVER);
  }
}

/** A reason of our own: the default one costs a stack trace. */
const OVER = new Fault('run.cancelled', 'the question was answered elsewhere');

function decided(answer: GateAnswer, { reject }: GateOffer, { path }: StepContext): KindResult {
  const { choice, comment, by, at } = answer;
  if (!reject.includes(choice)) return { type: 'output', value: { choice, comment, by, at } };
  const why = comment === '' ? '' : `: ${comment}`;
  return {
    type: 'end',
    outcome: choice,
    status: 'refused',
    message: `the answer to "${path}" was "${choice}", by ${by}${why}`,
  };
}

function waiting({ ask, choices }: GateQuestion, { path }: StepContext): KindResult {
  const asked: Json = { gate: path, question: ask, choices };
  return { type: 'wait', ask: asked };
}

function unanswered({ path }: StepContext): Fault {
  return new Fault('run.unanswered', `it asks a person, and nobody is at a terminal (on_no_tty: fail)`, {
    hint: `Answer with pipeline approve <run> ${path} --choice <choice>, then resume the run.`,
  });
}
