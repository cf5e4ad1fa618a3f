/** What the kinds of the driver have in common: no file names them, their config is the driver's own. */
import type { Inspection, StepKind } from '../core/kind.js';

export type InnerKind = Pick<StepKind, 'name' | 'run'> & Partial<Pick<StepKind, 'timeoutMs' | 'fence'>>;

export function innerKind(own: InnerKind, inspection: Partial<Inspection>): StepKind {
  return {
    schema: { type: 'object' },
    verbatim: [],
    textFiles: [],
    output: 'none',
    fence: false,
    ...own,
    inspect: () => ({ files: [], tools: [], models: [], maxCalls: 0, startsProcess: false, ...inspection }),
  };
}
