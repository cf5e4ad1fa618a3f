/** How a person gets from the sketch to a real model, in a line. */
import { variablePrefix } from '../core/provider-names.js';
import { type Environment, serviceIn } from '../providers/services.js';

/** @param reason why the sketch is used, as a choice of a model says it */
export function realModelText(reason: string, env: Environment): string {
  const service = serviceIn(env);
  if (reason !== '--model sketch' || !service)
    return 'For a real model: export OPENAI_API_KEY=…  (OPENAI_BASE_URL for another host), or start Ollama or LM Studio on this machine.';
  const prefix = variablePrefix(service.name);
  const set = [`${prefix}_API_KEY`, `${prefix}_BASE_URL`].find((name) => env[name]);
  return `For a real model: leave out --model sketch (${set} is set).`;
}
