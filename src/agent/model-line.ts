/** The models of one agent: the one that it asks, and those that take its place when its service fails. */
import { Fault, type FaultData } from '../core/faults.js';
import type { ChosenModel } from '../core/model.js';

export interface ModelLine {
  /** The one that the step asks for. */
  readonly first: ChosenModel;
  current(): ChosenModel;
  /** Whether there may be another one. */
  hasNext(): boolean;
  /** The next one that can be asked takes the place of the current one; undefined when there is none. */
  next(): Promise<ChosenModel | undefined>;
}

/**
 * @param names roles or `provider/model-id`s, in order
 * @param pick throws `provider.no_model` for one that cannot be used, which is then passed over
 */
export function modelLine(
  first: ChosenModel,
  names: readonly string[],
  pick: (name: string) => Promise<ChosenModel>,
): ModelLine {
  let current = first;
  const left = [...names];
  const tried = new Set([placeOf(first)]);
  return {
    first,
    current: () => current,
    hasNext: () => left.length > 0,
    async next() {
      for (let name = left.shift(); name !== undefined; name = left.shift()) {
        const model = await pickIfUsable(name, pick);
        if (!model || tried.has(placeOf(model))) continue;
        tried.add(placeOf(model));
        current = model;
        return model;
      }
      return undefined;
    },
  };
}

/** A fault of the service, which another one need not have; a refusal is about what was asked, or with which key. */
export function isServiceFault({ code }: FaultData): boolean {
  switch (code) {
    case 'provider.unreachable':
    case 'provider.overloaded':
    case 'provider.protocol':
    case 'provider.silent':
    case 'provider.exhausted':
      return true;
    default:
      return false;
  }
}

function placeOf({ label, host }: ChosenModel): string {
  return `${label} ${host}`;
}

async function pickIfUsable(
  name: string,
  pick: (name: string) => Promise<ChosenModel>,
): Promise<ChosenModel | undefined> {
  try {
    return await pick(name);
  } catch (error) {
    if (error instanceof Fault && error.data.code === 'provider.no_model') return undefined;
    throw error;
  }
}
