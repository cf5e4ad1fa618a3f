/** Processes that a test stands in for: they are never started. */
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import type { Command, Exit, Processes } from '../core/context.js';
import { closest } from '../core/step-pattern.js';
import { ensureDir } from '../files/atomic-write.js';
import type { Stub, Stubs } from './skill-test.js';

const TAIL_CHARACTERS = 4_096;

export function stubbed(stubs: readonly Stubs[], real: Processes): Processes {
  const calls = new Map<Stubs, number>();
  return {
    async run(command) {
      const found = closest(stubs, command.step);
      if (!found) return real.run(command);
      command.signal.throwIfAborted();
      const call = calls.get(found) ?? 0;
      calls.set(found, call + 1);
      const stub = found.stubs[Math.min(call, found.stubs.length - 1)];
      return stub ? perform(stub, command) : real.run(command);
    },
  };
}

function perform(stub: Stub, { work, stdoutFile, stderrFile }: Command): Exit {
  for (const [path, content] of Object.entries(stub.files)) {
    const file = join(work, path);
    ensureDir(dirname(file));
    fs.writeFileSync(file, textOf(content));
  }
  const stdout = textOf(stub.stdout);
  if (stdout !== '') fs.writeFileSync(stdoutFile, stdout);
  if (stub.stderr !== '') fs.writeFileSync(stderrFile, stub.stderr);
  return {
    code: stub.exit,
    signal: undefined,
    stdout: Buffer.from(stdout),
    stderrTail: stub.stderr.slice(-TAIL_CHARACTERS),
    truncated: false,
  };
}

function textOf(content: Stub['stdout']): string {
  return typeof content === 'string' ? content : `${JSON.stringify(content)}\n`;
}
