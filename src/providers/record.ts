/** Writes down what the models of a run are asked and what they say: `--record`. */
import { join } from 'node:path';
import { Fault } from '../core/faults.js';
import type { ChosenModel, ModelReply, ModelRequest, Provider } from '../core/model.js';
import type { StepPath } from '../core/outcome.js';
import { canonicalReply, canonicalRequest, type Masks, mapTexts, messageOf } from './canonical-request.js';
import {
  appendExchange,
  type Exchange,
  emptyCassette,
  fileOf,
  headOf,
  isCassette,
  isSame,
  type RecordedModels,
  readExchanges,
  readModels,
  refuseForeign,
  writeExchanges,
  writeModels,
} from './cassette.js';
import type { PickedModels } from './models.js';
import { notRegular } from './regular-file.js';

export interface Recorder {
  readonly models: PickedModels;
  /** Before the first call. `resumed`: the recording of this run goes on. */
  begin(masks: Masks, resumed: boolean): void;
}

/**
 * @param dir absolute
 * @param redact a cassette is made to be shared
 */
export function recordModels(models: PickedModels, dir: string, redact: (text: string) => string): Recorder {
  refuseForeign(dir);
  const picked = new Map<string, ChosenModel>();
  /** The entries of the steps that have called in this session. */
  const steps = new Map<StepPath, Exchange[]>();
  let begun: Masks | undefined;
  let earlier: RecordedModels = {};

  const saveModels = (masks: Masks) => {
    const now = [...picked].map(([name, model]) => [name, recorded(model, masks)] as const);
    writeModels(dir, { ...earlier, ...Object.fromEntries(now) });
  };
  const note = (request: ModelRequest, reply: ModelReply, path: StepPath) => {
    if (!begun) throw new Error('a model was called before its recording began');
    const exchange = { request: canonicalRequest(request, begun), reply: canonicalReply(reply, begun) };
    stored(join(dir, fileOf(path)), `what "${path}" was answered`, () => {
      const known = steps.get(path) ?? takeUp(dir, path, exchange);
      appendExchange(dir, path, exchange, known.at(-1));
      steps.set(path, [...known, exchange]);
    });
  };
  const wrap = (model: ChosenModel): ChosenModel => ({ ...model, provider: recording(model.provider, note) });

  const pick = async (name: string): Promise<ChosenModel> => {
    const chosen = await models.pick(name);
    // A replay shortens its conversations where the recorded run did.
    const contextTokens = chosen.contextTokens ?? (await chosen.listedContext?.());
    const model = contextTokens === undefined ? chosen : { ...chosen, contextTokens };
    if (!picked.has(name)) {
      picked.set(name, model);
      const masks = begun;
      if (masks) stored(headOf(dir), `the model of "${name}"`, () => saveModels(masks));
    }
    return model;
  };

  return {
    models: {
      async describe(name = 'default') {
        await pick(name);
        return models.describe(name);
      },
      pick: async (name) => wrap(await pick(name)),
    },
    begin(masks, resumed) {
      begun = { ...masks, mask: (text) => redact(masks.mask(text)) };
      try {
        if (resumed && isCassette(dir)) earlier = readModels(dir);
        else emptyCassette(dir);
        saveModels(begun);
      } catch (error) {
        if (error instanceof Fault) throw error;
        throw new Fault('input.invalid', `nothing can be recorded in ${dir}: ${(error as Error).message}`);
      }
    },
  };
}

function recording(
  provider: Provider,
  note: (request: ModelRequest, reply: ModelReply, path: StepPath) => void,
): Provider {
  return {
    name: provider.name,
    async complete(request, options) {
      const reply = await provider.complete(request, options);
      note({ ...request, ...options.standsFor }, reply, options.step ?? '');
      return reply;
    },
  };
}

/** A recording with a hole could not be replayed: the run stops, and goes on when the disk is well. */
function stored(file: string, what: string, write: () => void): void {
  try {
    const special = notRegular(file);
    if (special) throw new Error(special);
    write();
  } catch (error) {
    if (error instanceof Fault) throw error;
    throw new Fault('run.storage', `${what} cannot be recorded in ${file}: ${(error as Error).message}`, {
      hint: 'Mend that, then resume the run with --record: what was finished is kept, and this is asked again.',
    });
  }
}

function recorded({ label, model, host, parameters, placeholder, contextTokens }: ChosenModel, { mask }: Masks) {
  return {
    label: mask(label),
    model: mask(model),
    host,
    parameters: mapTexts(parameters, mask) as ChosenModel['parameters'],
    ...(placeholder ? { placeholder: true as const } : {}),
    ...(contextTokens === undefined ? {} : { contextTokens }),
  };
}

/**
 * A step calls for the first time in a session. What an earlier session recorded of it counts as far as this conversation goes on with it:
 * the rest was asked by an attempt that nobody went on with.
 */
function takeUp(dir: string, path: StepPath, { request }: Exchange): Exchange[] {
  const before = readExchanges(dir, path);
  const { messages } = request;
  const last = before.findLastIndex((one) => {
    const asked = one.request.messages;
    const known = [...asked, messageOf(one.reply, asked)];
    const spoken = messages.findLastIndex(({ role }) => role === 'assistant');
    return known.length === spoken + 1 && isSame(messages.slice(0, known.length), known);
  });
  const kept = before.slice(0, last + 1);
  writeExchanges(dir, path, kept);
  return kept;
}
