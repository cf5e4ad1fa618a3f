/** From the tool names that an author granted to the tools a step gets. */
import { Fault } from '../core/faults.js';
import { nearest } from '../core/problems.js';
import type { Tool } from '../core/tool.js';
import { takesRules } from './rules.js';

export interface ToolGrant {
  readonly name: string;
  /** What is in the parentheses, e.g. `git log *`. */
  readonly rule?: string;
}

/** Reads `read_file` or `shell(git log *)`; undefined if it is neither. */
export function parseToolGrant(written: string): ToolGrant | undefined {
  const parts = /^\s*([A-Za-z][\w-]*)\s*(?:\(([\s\S]*)\))?\s*$/.exec(written);
  const [, name, rule] = parts ?? [];
  if (name === undefined) return undefined;
  const words = rule?.trim();
  if (words === '') return undefined;
  return words === undefined || words === '*' ? { name } : { name, rule: words };
}

/** Each granted tool once, in the order of the grants; a tool granted only by rules is narrowed to them. Throws `config.invalid`. */
export function toolsFor(grants: readonly string[], tools: readonly Tool[]): Tool[] {
  const byName = new Map<string, string[] | undefined>();
  for (const written of grants) {
    const grant = parseToolGrant(written);
    if (!grant)
      throw new Fault('config.invalid', `${JSON.stringify(written)} is no tool.`, {
        hint: 'Write a name, or name(rule).',
      });
    const had = byName.get(grant.name);
    const whole = grant.rule === undefined || (byName.has(grant.name) && had === undefined);
    byName.set(grant.name, whole ? undefined : [...(had ?? []), grant.rule as string]);
  }
  return [...byName].map(([name, rules]) => {
    const tool = tools.find((one) => one.spec.name === name) ?? unknown(name, tools);
    return rules ? narrowed(tool, rules) : tool;
  });
}

function narrowed(tool: Tool, rules: readonly string[]): Tool {
  if (takesRules(tool)) return tool.narrowed(rules);
  const { name } = tool.spec;
  throw new Fault('config.invalid', `The tool ${name} takes no rule.`, { hint: `Write ${name} without parentheses.` });
}

function unknown(name: string, tools: readonly Tool[]): never {
  const names = tools.map((tool) => tool.spec.name);
  const close = nearest(name, names);
  throw new Fault('config.invalid', `There is no tool ${JSON.stringify(name)}.`, {
    hint: close ? `Did you mean ${close}?` : `There are: ${names.join(', ')}.`,
  });
}
