/** What models cost: as the configuration says, else as the public price list does. */
import type { Clock } from '../core/context.js';
import type { PriceOf, Usage } from '../core/model.js';
import type { Price } from '../core/model-config.js';
import { isLoopback } from './http.js';

export interface Listed {
  readonly price?: PriceOf;
  readonly contextTokens?: number;
}

const MILLION = 1_000_000;

export const FREE = (): Promise<PriceOf> => Promise.resolve(() => 0);

export function priceFrom({ input, output, cached = input, cacheWrite = input }: Price): PriceOf {
  return (usage) => {
    const parts = partsOf(usage);
    const read = parts.fresh * input + parts.cached * cached + parts.written * cacheWrite;
    return (read + parts.output * output) / MILLION;
  };
}

/** Of a model behind an address; a server on this machine costs nothing. Undefined if nobody knows. */
export async function priceAt(baseUrl: string, model: string, clock: Pick<Clock, 'now'>): Promise<PriceOf | undefined> {
  if (isLoopback(new URL(baseUrl).hostname)) return FREE();
  return (await listed(baseUrl, model, clock)).price;
}

/** What the list says of a model behind an address; nothing if it does not know both, or does not say what its texts cost. */
export async function listed(baseUrl: string, model: string, clock: Pick<Clock, 'now'>): Promise<Listed> {
  const { calcPrice, findProvider } = await priceList();
  const provider = findProvider({ providerApiUrl: baseUrl });
  if (!provider) return {};
  const cost = (inputTokens: number, outputTokens: number, cached = 0, written = 0) =>
    calcPrice(
      {
        input_tokens: inputTokens,
        output_tokens: outputTokens,
        ...(cached > 0 ? { cache_read_tokens: cached } : {}),
        ...(written > 0 ? { cache_write_tokens: written } : {}),
      },
      model,
      { provider, timestamp: new Date(clock.now()) },
    );
  const found = attempted(() => cost(4, 1, 1, 1));
  if (!found) return {};
  const { input_mtok: input, output_mtok: output } = found.model_price;
  const isPriced = input !== undefined && output !== undefined;
  const isFree = model.endsWith(':free') && Object.keys(found.model_price).length === 0;
  const price: PriceOf = (usage) => {
    const { fresh, cached, written, output } = partsOf(usage);
    return cost(fresh + cached + written, output, cached, written)?.total_price ?? 0;
  };
  const { context_window: contextTokens } = found.model;
  return {
    ...(isPriced || isFree ? { price } : {}),
    ...(contextTokens === undefined ? {} : { contextTokens }),
  };
}

/** The list refuses to reckon with prices of its own that do not fit together. */
function attempted<T>(reckon: () => T): T | undefined {
  try {
    return reckon();
  } catch {
    return undefined;
  }
}

let list: Promise<typeof import('@pydantic/genai-prices')> | undefined;

/** It is large: only those who ask for a price wait for it. */
function priceList() {
  list ??= import('@pydantic/genai-prices');
  return list;
}

/** Some servers count more tokens as cached than they count in all, or send what is no count. */
function partsOf({ inputTokens, outputTokens, cachedTokens, cacheWrittenTokens = 0 }: Usage) {
  const input = countOf(inputTokens);
  const cached = Math.min(countOf(cachedTokens), input);
  const written = Math.min(countOf(cacheWrittenTokens), input - cached);
  return { cached, written, fresh: input - cached - written, output: countOf(outputTokens) };
}

function countOf(tokens: number): number {
  return Number.isFinite(tokens) && tokens > 0 ? tokens : 0;
}
