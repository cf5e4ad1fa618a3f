/** The providers that are built in, by their names: what stands before the `/` of a model. */

/** Opened by a key, in the order in which their keys are looked for. */
export const SERVICE_NAMES = ['openai', 'anthropic'] as const;

/** On this machine, in the order in which they are looked for. */
export const LOCAL_SERVER_NAMES = ['ollama', 'lmstudio', 'llamacpp', 'vllm'] as const;

export type ServiceName = (typeof SERVICE_NAMES)[number];
export type LocalServerName = (typeof LOCAL_SERVER_NAMES)[number];

export const PROVIDER_NAMES: readonly string[] = [...SERVICE_NAMES, ...LOCAL_SERVER_NAMES, 'sketch'];

/** Before `_API_KEY`, `_BASE_URL` and `_MODEL`. */
export function variablePrefix(provider: string): string {
  return provider.toUpperCase().replace(/[^A-Z0-9]+/g, '_');
}
