/** Which environment variables are keys of model providers: no child process ever sees them. */

/** @param providers names of configured providers beside the built-in ones: each has `<NAME>_API_KEY` */
export function isProviderKey(variable: string, providers: Iterable<string> = []): boolean {
  const name = variable.toUpperCase();
  return ['openai', 'anthropic', ...providers].some((provider) => name === keyName(provider));
}

function keyName(provider: string): string {
  return `${provider.toUpperCase().replace(/[^A-Z0-9]+/g, '_')}_API_KEY`;
}
