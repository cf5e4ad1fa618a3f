/** What the service of a model does instead of an answer. */
import { Fault } from '../../core/faults.js';
import type { Draw } from '../choices/choices.js';

const MOST_FAULTS = 6;

const FAULTS = [
  'overloaded',
  'unreachable',
  'protocol',
  'silent',
  'refused',
  'exhausted',
  'never',
  'later',
  'charged',
] as const;

export type ServiceFault = (typeof FAULTS)[number];

export const CODES = {
  overloaded: 'provider.overloaded',
  unreachable: 'provider.unreachable',
  protocol: 'provider.protocol',
  silent: 'provider.silent',
  refused: 'provider.refused',
  exhausted: 'provider.exhausted',
  never: 'step.timeout',
  later: 'provider.overloaded',
  charged: 'provider.protocol',
} as const;

export function faultOf(fault: ServiceFault): Fault {
  const more = fault === 'later' ? { retryAfterMs: 20_000 } : fault === 'charged' ? { answered: true as const } : {};
  return new Fault(CODES[fault], `the simulated service says: ${fault}`, more);
}

/** One for each attempt at the call, until they are used up. */
export function faultsAt(draw: Draw): ServiceFault[] {
  const count = draw.pick('fault', MOST_FAULTS);
  return Array.from({ length: count }, () => FAULTS[draw.rarely(0.7, FAULTS.length)] ?? 'overloaded');
}
