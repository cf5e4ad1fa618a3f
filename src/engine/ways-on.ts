/** The commands that go on with a run, as a person types them. */
import { basename, dirname } from 'node:path';
import type { AskedWith } from '../core/events.js';
import { shellWord } from '../core/shell-word.js';
import { idsOf } from '../core/step-path.js';
import { isOwnFault, needsRounds } from './continued.js';
import type { StepRecord } from './read-steps.js';

/** `<skill>/<slug>`, as commands take it. */
export function nameOfRun(dir: string): string {
  return `${basename(dirname(dir))}/${basename(dir)}`;
}

/** @param asked what its models are decided by has to be said again */
export function resumeCommand(name: string, asked: AskedWith): string {
  return `pipeline resume ${[name, ...sameAgain(asked)].map(shellWord).join(' ')}`;
}

/** The options of it that say what its models are. */
export function sameAgain({ skillsDirs = [], model, record, replay, detect = true, sandbox }: AskedWith): string[] {
  return [
    ...skillsDirs.flatMap((dir) => ['--skills-dir', dir]),
    ...(model === undefined ? [] : ['--model', model]),
    ...(record === undefined ? [] : ['--record', record]),
    ...(replay === undefined ? [] : ['--replay', replay]),
    ...(detect ? [] : ['--no-detect']),
    ...(sandbox === undefined ? [] : ['--sandbox', sandbox]),
  ];
}

export interface AgentWays {
  readonly goOn: string;
  readonly anew: string;
}

/**
 * How a person goes on with an agent that failed: in its conversation where it stopped, or anew.
 * @param resume the command that goes on with the run
 */
export function agentWays(
  resume: string,
  { path, status, fault }: Pick<StepRecord, 'path' | 'status' | 'fault'>,
): AgentWays | undefined {
  if (status !== 'failed' || !fault || !isOwnFault(fault)) return undefined;
  const step = shellWord(idsOf(path));
  const rounds = needsRounds(fault) ? ' --rounds +10' : '';
  return { goOn: `${resume} --step ${step}${rounds}`, anew: `${resume} --from ${step}` };
}
