/** A model that a program names by its provider, as the agent loop takes it. */
import type { JsonObject } from '../core/json.js';
import type { ChosenModel, Provider } from '../core/model.js';

export interface ModelOptions {
  readonly provider: Provider;
  /** The id at the provider. */
  readonly model: string;
  /** Sent with each request, e.g. `{ temperature: 0 }`. */
  readonly parameters?: JsonObject;
}

export function modelOf({ provider, model, parameters = {} }: ModelOptions): ChosenModel {
  return {
    provider,
    model,
    label: `${provider.name}/${model}`,
    host: '',
    parameters,
    placeholder: provider.placeholder === true,
  };
}

/** What an agent is asked with about its model; it has no other in its place. */
export function asked(options: ModelOptions) {
  const model = modelOf(options);
  return {
    model,
    role: model.label,
    roleParameters: model.parameters,
    fallback: [],
    pickFallback: async () => {
      throw new Error('no other model was named');
    },
  };
}
