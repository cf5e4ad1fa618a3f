/** Services that a key in the environment opens: where they are, what is asked of them unless a model is named, how they are spoken to. */
import type { Provider } from '../core/model.js';
import { SERVICE_NAMES, type ServiceName, variablePrefix } from '../core/provider-names.js';
import { anthropicProvider } from './anthropic.js';
import { openAiProvider } from './openai.js';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Service {
  /** Stands before the `/` of a model; in capitals, before `_API_KEY`, `_BASE_URL` and `_MODEL`. */
  readonly name: ServiceName;
  readonly url: string;
  readonly model: string;
  /** Servers on this machine speak it too: they need no key, and say which models they have. */
  readonly isCommon: boolean;
  open(server: Server, env: Environment): Provider;
}

export interface Server {
  /** For people: the service's own, or e.g. `ollama`. */
  readonly name: string;
  readonly baseUrl: string;
  readonly apiKey?: string;
  /** Of a conversation it reads only the last so many tokens, and does not say so. */
  readonly readsLastTokens?: number;
}

export const OPENAI: Service = {
  name: 'openai',
  url: 'https://api.openai.com/v1',
  model: 'gpt-5-mini',
  isCommon: true,
  open(server, env) {
    const isOwn = new URL(server.baseUrl).origin === new URL(OPENAI.url).origin;
    return openAiProvider({
      ...server,
      ...(isOwn && env.OPENAI_ORG_ID ? { organization: env.OPENAI_ORG_ID } : {}),
      ...(isOwn && env.OPENAI_PROJECT_ID ? { project: env.OPENAI_PROJECT_ID } : {}),
    });
  },
};

const ANTHROPIC: Service = {
  name: 'anthropic',
  url: 'https://api.anthropic.com',
  model: 'claude-sonnet-5-5',
  isCommon: false,
  open: anthropicProvider,
};

const BY_NAME = { openai: OPENAI, anthropic: ANTHROPIC } as const satisfies { [Name in ServiceName]: Service };

/** In the order in which their keys are looked for. */
export const SERVICES: readonly Service[] = SERVICE_NAMES.map((name) => BY_NAME[name]);

/** What a model's provider is spoken to as: a server that is no known service speaks as OpenAI does. */
export function serviceOf(provider: string): Service {
  return SERVICES.find(({ name }) => name === provider) ?? OPENAI;
}

/** What the environment says of it. */
export function settingsOf({ name }: Service, env: Environment) {
  const prefix = variablePrefix(name);
  const [key, url, model] = [env[`${prefix}_API_KEY`], env[`${prefix}_BASE_URL`], env[`${prefix}_MODEL`]];
  return { prefix, key: key || undefined, url: url || undefined, model: model || undefined };
}

/** The service that `default` stands for where no role says it: the first with a key, or with an address where no key is needed. */
export function serviceIn(env: Environment): Service | undefined {
  return SERVICES.find((service) => {
    const { key, url } = settingsOf(service, env);
    return key !== undefined || (url !== undefined && service.isCommon);
  });
}

/** The key belongs to the host that the person's environment names: a project's file cannot send it elsewhere. */
export function keyFor(service: Service, baseUrl: string, env: Environment): string | undefined {
  const { key, url } = settingsOf(service, env);
  const home = new URL(url !== undefined && URL.canParse(url) ? url : service.url);
  return new URL(baseUrl).origin === home.origin ? key : undefined;
}
