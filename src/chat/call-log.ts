/** logs/agent.log: every tool call of a chat with its arguments and the start of its result, one JSON line each. */
import fs from 'node:fs';
import { dirname } from 'node:path';
import type { Tool } from '../core/tool.js';

const RESULT_CHARACTERS = 2_000;

export interface CallLog {
  wrap(tools: readonly Tool[]): readonly Tool[];
  line(value: Readonly<Record<string, unknown>>): void;
}

/** @param file absolute @param onUnwritable told once; the chat goes on without */
export function callLog(file: string, now: () => number, onUnwritable: (reason: string) => void): CallLog {
  let isGiven = true;
  const line = (value: Readonly<Record<string, unknown>>, redact = (text: string) => text) => {
    if (!isGiven) return;
    try {
      fs.mkdirSync(dirname(file), { recursive: true });
      const text = JSON.stringify({ at: new Date(now()).toISOString(), ...value });
      fs.appendFileSync(file, `${redact(text)}\n`, { mode: 0o600 });
    } catch (error) {
      isGiven = false;
      onUnwritable((error as Error).message);
    }
  };
  return {
    line,
    wrap: (tools) =>
      tools.map((tool) => ({
        ...tool,
        async execute(args, context) {
          const begun = now();
          const told = { by: context.path, tool: tool.spec.name, arguments: args };
          try {
            const result = await tool.execute(args, context);
            const text = result.type === 'resolved' ? '' : result.text.slice(0, RESULT_CHARACTERS);
            line({ ...told, result: result.type, ms: now() - begun, text }, context.redact);
            return result;
          } catch (error) {
            line({ ...told, result: 'thrown', ms: now() - begun, text: String(error) }, context.redact);
            throw error;
          }
        },
      })),
  };
}
