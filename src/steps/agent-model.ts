/** The model of an agent with the step's own parameters, and those that may take its place. */
import { blindness } from '../core/asked-models.js';
import type { StepContext } from '../core/context.js';
import { Fault } from '../core/faults.js';
import type { Json, JsonObject } from '../core/json.js';
import type { ChosenModel, Image } from '../core/model.js';
import { type AgentConfig, SAMPLING_KEYS } from './agent-config.js';

export interface AskedModel {
  readonly model: ChosenModel;
  /** By which it was picked, and the parameters that it had then. */
  readonly role: string;
  readonly roleParameters: JsonObject;
  readonly fallback: readonly string[];
  readonly pickFallback: (name: string) => Promise<ChosenModel>;
}

/** Throws `provider.refused` for a model that cannot be shown these images. */
export async function pickModel(
  config: AgentConfig,
  images: readonly Image[],
  context: StepContext,
): Promise<AskedModel> {
  const role = config.model ?? 'default';
  const picked = await context.models.pick(role);
  refuseBlind('provider.refused', picked, images);
  return {
    model: withOwnParameters(picked, config),
    role,
    roleParameters: picked.parameters,
    fallback: config.fallback ?? picked.fallback ?? [],
    async pickFallback(name) {
      const other = await context.models.pick(name);
      refuseBlind('provider.no_model', other, images);
      return withOwnParameters(other, config);
    },
  };
}

function refuseBlind(
  code: 'provider.refused' | 'provider.no_model',
  model: ChosenModel,
  [first]: readonly Image[],
): void {
  const reason = first && blindness(model);
  if (reason === undefined) return;
  throw new Fault(code, `${reason}, and the step shows it ${JSON.stringify(first?.name)}`, {
    hint: 'Use a model that does; if this one does, write images: true in its role in pipeline.config.yaml.',
  });
}

function withOwnParameters(chosen: ChosenModel, config: AgentConfig): ChosenModel {
  const own: Record<string, Json> = {};
  for (const name of SAMPLING_KEYS) if (config[name] !== undefined) own[name] = config[name];
  return { ...chosen, parameters: { ...chosen.parameters, ...own } };
}
