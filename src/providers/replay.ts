/** Models that answer from a recording and never go live: `--replay`. */
import { Fault } from '../core/faults.js';
import { canonicalJson, hashJson } from '../core/json.js';
import type { ChosenModel, Provider } from '../core/model.js';
import type { StepPath } from '../core/outcome.js';
import { idsOf } from '../core/step-path.js';
import {
  type CanonicalRequest,
  canonicalRequest,
  countCalls,
  type Masks,
  mapTexts,
  replyFrom,
} from './canonical-request.js';
import type { Exchange, RecordedModel, RecordedModels } from './cassette.js';
import type { PickedModels } from './models.js';
import { differenceText, likeness } from './request-difference.js';

/** A cassette, or what a finished run has kept. */
export interface Recording {
  /** For people: its folder. */
  readonly source: string;
  readonly models: RecordedModels;
  readonly steps: readonly StepPath[];
  exchanges(path: StepPath): readonly Exchange[];
}

export interface Replayer {
  readonly models: PickedModels;
  /** Before the first call. */
  begin(masks: Masks): void;
}

export function replayModels(recording: Recording): Replayer {
  let masks: Masks | undefined;
  /** How often a step has asked the same. */
  const asked = new Map<string, number>();

  const provider: Provider = {
    name: 'replay',
    async complete(request, { signal, step = '', onDelta }) {
      signal.throwIfAborted();
      if (!masks) throw new Error('a model was called before its replay began');
      const canonical = canonicalRequest(request, masks);
      const key = `${step} ${hashJson(canonical)}`;
      const times = asked.get(key) ?? 0;
      const found = matching(recording, step, canonical)[times];
      if (!found) throw missed(recording, step, canonical, times);
      asked.set(key, times + 1);
      const reply = replyFrom(found.reply, countCalls(canonical.messages), hashJson(step).slice(0, 8), masks);
      if (reply.reasoning) onDelta?.({ type: 'reasoning', text: reply.reasoning });
      if (reply.text !== '') onDelta?.({ type: 'text', text: reply.text });
      return reply;
    },
  };
  const choose = (name: string): ChosenModel => {
    const { placeholder = false, ...model } = modelFor(name, recording);
    const unmasked = masks ? (mapTexts({ ...model }, masks.unmask) as unknown as RecordedModel) : model;
    return { ...unmasked, provider, placeholder, sees: true, price: async () => () => 0 };
  };
  return {
    models: {
      pick: async (name) => choose(name),
      async describe(name = 'default') {
        const { label, host, placeholder } = modelFor(name, recording);
        return { label, host, reason: 'replayed', placeholder: placeholder === true };
      },
    },
    begin(given) {
      masks = given;
    },
  };
}

/** A role that was not recorded falls back to `default`, as it does in a run; a model that a step names is that model. */
function modelFor(name: string, { models, source }: Recording): RecordedModel {
  const known = models[name];
  if (known) return known;
  const cut = name.indexOf('/');
  if (cut > 0) return { label: name, model: name.slice(cut + 1), host: '', parameters: {} };
  const fallback = models.default ?? Object.values(models)[0];
  if (fallback) return fallback;
  throw new Fault('input.replay', `${source} holds no model: the recorded run has called none`, { hint: HINT });
}

const HINT = 'Record it again with --record <dir>; a replay never asks a model.';

/** Of the step; else of the same step as another item of its loop, which is found again where it moved. */
function matching(recording: Recording, step: StepPath, request: CanonicalRequest): Exchange[] {
  const wanted = canonicalJson(request);
  const at = (path: StepPath) =>
    recording.exchanges(path).filter((exchange) => canonicalJson(exchange.request) === wanted);
  const own = at(step);
  if (own.length > 0) return own;
  const place = idsOf(step);
  for (const path of recording.steps) {
    const found = path !== step && idsOf(path) === place ? at(path) : [];
    if (found.length > 0) return found;
  }
  return [];
}

function missed(recording: Recording, step: StepPath, request: CanonicalRequest, times: number): Fault {
  const round = request.messages.filter(({ role }) => role === 'assistant').length + 1;
  const what = `no recorded answer for step "${step}", round ${round}`;
  const fault = (message: string) => new Fault('input.replay', message, { hint: HINT });
  if (times > 0) {
    const often = times === 1 ? 'once' : `${times} times`;
    return fault(`${what}: the same was asked before, and is answered ${often} in ${recording.source}`);
  }
  const [nearest] = recording
    .exchanges(step)
    .map((exchange, at) => ({ exchange, at, likeness: likeness(exchange.request, request) }))
    .sort((a, b) => b.likeness - a.likeness || a.at - b.at);
  if (!nearest) return fault(`${what}: ${recording.source} holds nothing of this step`);
  const difference = differenceText(nearest.exchange.request, request);
  return fault(`${what}; of entry ${nearest.at + 1}, the nearest, this differs:\n${difference}`);
}
