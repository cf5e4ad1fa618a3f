/** What models there are: those that are configured, what was found, which one stands behind `default`. */
import { type FaultData, toFault } from '../core/faults.js';
import type { PriceOf } from '../core/model.js';
import type { ModelRole } from '../core/model-config.js';
import { isLoopback } from './http.js';
import { type FoundServer, firstWithModels, probeLocalServers } from './local-servers.js';
import { createModels, type ModelsOptions, type PickedModels } from './models.js';
import { describeRole } from './offline.js';
import { type Environment, keyFor, SERVICES, serviceOf, settingsOf } from './services.js';

/** `unneeded`: on this machine, or in this program. `withheld`: there is one, but for another host. */
export type KeyState = 'set' | 'not set' | 'unneeded' | 'withheld';

export interface SurveyedModel {
  /** `provider/model-id`. */
  readonly label: string;
  /** '' for an embedded one. */
  readonly host: string;
  readonly key: KeyState;
  /** US dollars per million tokens; null if nobody knows. */
  readonly price: { readonly input: number; readonly output: number } | null;
  /** Null if nobody knows, as with `contextTokens`. */
  readonly images: boolean | null;
  readonly contextTokens: number | null;
  readonly fallback: readonly string[];
}

export interface Survey {
  /** By the name of the role. */
  readonly roles: Readonly<Record<string, SurveyedModel & { readonly fault?: FaultData }>>;
  /** What stands behind `default`, and why. */
  readonly default: (SurveyedModel & { readonly reason: string }) | { readonly fault: FaultData };
  /** Names of variables, never what they hold. */
  readonly keys: Readonly<Record<string, 'set' | 'not set'>>;
  /** Servers on this machine that were asked, with the models that they list; undefined: none was. */
  readonly servers?: readonly FoundServer[];
}

export async function surveyModels(options: Omit<ModelsOptions, 'flagModel'>): Promise<Survey> {
  const { roles, env, detect, fetchJson } = options;
  const servers = detect ? await probeLocalServers(fetchJson) : undefined;
  const known: ModelsOptions = { ...options, findServer: async () => servers && firstWithModels(servers) };
  const rows = [...roles].map(async ([name, role]) => {
    // On its own: what takes its place when it cannot be used would hide why.
    const alone = createModels({
      ...known,
      roles: new Map([[name, { ...role, fallback: [] }]]),
      onNotice: () => undefined,
    });
    const { fallback = [] } = role;
    try {
      const { reason: _, ...row } = await surveyed(name, alone, env);
      return [name, { ...row, fallback }] as const;
    } catch (error) {
      return [name, { ...(await unusable(role, env)), fallback, fault: toFault(error) }] as const;
    }
  });
  return {
    roles: Object.fromEntries(await Promise.all(rows)),
    default: await surveyed('default', createModels(known), env).catch((error: unknown) => ({ fault: toFault(error) })),
    keys: Object.fromEntries(
      SERVICES.map((service) => {
        const { prefix, key } = settingsOf(service, env);
        return [`${prefix}_API_KEY`, key === undefined ? 'not set' : 'set'] as const;
      }),
    ),
    ...(servers ? { servers } : {}),
  };
}

async function surveyed(name: string, models: PickedModels, env: Environment) {
  const { reason } = await models.describe(name);
  const { label, host, sees, contextTokens, listedContext, fallback = [], price } = await models.pick(name);
  const [provider = ''] = label.split('/');
  return {
    label,
    host,
    key: keyState(provider, host, env),
    price: perMillion(await price?.()),
    images: sees ?? null,
    contextTokens: contextTokens ?? (await listedContext?.()) ?? null,
    fallback,
    reason,
  };
}

async function unusable(role: ModelRole, env: Environment) {
  const { label = '', host, sees = null, price } = describeRole(role, env);
  return {
    label,
    host,
    key: keyState(role.provider, host, env),
    price: perMillion(await price()),
    images: sees,
    contextTokens: role.contextTokens ?? null,
  };
}

function keyState(provider: string, host: string, env: Environment): KeyState {
  if (host === '') return 'unneeded';
  const service = serviceOf(provider);
  const isFor = ['https', 'http'].some((scheme) => keyFor(service, `${scheme}://${host}`, env) !== undefined);
  if (isFor) return 'set';
  if (isLoopback(new URL(`https://${host}`).hostname)) return 'unneeded';
  return settingsOf(service, env).key === undefined ? 'not set' : 'withheld';
}

/** Of short calls: some providers charge more for a token of long ones. */
function perMillion(price: PriceOf | undefined): SurveyedModel['price'] {
  if (!price) return null;
  const [input, output] = [
    price({ inputTokens: 1_000, outputTokens: 0, cachedTokens: 0 }),
    price({ inputTokens: 0, outputTokens: 1_000, cachedTokens: 0 }),
  ];
  return { input: rounded(input * 1_000), output: rounded(output * 1_000) };
}

/** Sums of fractions are not exact. */
function rounded(dollars: number): number {
  return Number(dollars.toPrecision(6));
}
