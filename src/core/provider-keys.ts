/** Which environment variables are keys of model providers: no child process ever sees them. */
import { SERVICE_NAMES, variablePrefix } from './provider-names.js';

/** @param providers names of configured providers beside the built-in ones: each has `<NAME>_API_KEY` */
export function isProviderKey(variable: string, providers: Iterable<string> = []): boolean {
  const name = variable.toUpperCase();
  return [...SERVICE_NAMES, ...providers].some((provider) => name === `${variablePrefix(provider)}_API_KEY`);
}

/** What is set of these variables, never a provider's key. */
export function inherited(
  environment: Readonly<Record<string, string | undefined>>,
  names: readonly string[],
): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of names) {
    const value = environment[name];
    if (value !== undefined && !isProviderKey(name)) found[name] = value;
  }
  return found;
}
