/** Files that fit the globs of `artifacts`, and how a model that has tools leaves them. */
import type { Message } from '../../core/model.js';
import type { Step } from '../../core/plan.js';

/** One for each glob, relative to the step's work folder. */
export function artifactFiles(step: Step | undefined): string[] {
  return (step?.artifacts ?? []).map((glob) =>
    glob
      .replace(/\*\*\//g, '')
      .replace(/\{([^,}]*)[^}]*\}/g, '$1')
      .replace(/[*?]+/g, 'a')
      .replace(/\[(.)[^\]]*\]/g, '$1'),
  );
}

/** What the id of such a call ends with. */
const WRITES = /\.w(\d+)$/;

/** @param at of `artifactFiles` */
export function writingId(stem: string, at: number): string {
  return `${stem}.w${at}`;
}

interface Written {
  /** Numbers of `artifactFiles` that are written, as the conversation has it. */
  readonly files: ReadonlySet<number>;
  /** Turns that have to be made again, since a write failed in them or was cut off. */
  readonly undone: number;
}

export function writtenIn(messages: readonly Message[]): Written {
  const failed = new Set<string>();
  for (const message of messages) {
    if (message.role === 'tool' && WRITES.test(message.callId) && message.error) failed.add(message.callId);
  }
  const files = new Set<number>();
  let undone = 0;
  for (const message of messages) {
    if (message.role !== 'assistant' || message.calls.length === 0) continue;
    let isUndone = false;
    for (const { id } of message.calls) {
      const number = WRITES.exec(id)?.[1];
      if (number === undefined) continue;
      if (failed.has(id)) isUndone = true;
      else files.add(Number(number));
    }
    if (isUndone) undone++;
  }
  return { files, undone };
}
