/** Tools by their names. */
import type { ToolSpec } from '../core/model.js';
import type { Tool } from '../core/tool.js';

export interface ToolRegistry extends Iterable<Tool> {
  /** Throws a TypeError for a name that is taken. */
  register(tool: Tool): void;
  get(name: string): Tool | undefined;
  /** As a model is offered them. */
  specs(): ToolSpec[];
}

export function createToolRegistry(tools: Iterable<Tool> = []): ToolRegistry {
  const known = new Map<string, Tool>();
  const registry: ToolRegistry = {
    register(tool) {
      const { name } = tool.spec;
      if (known.has(name)) throw new TypeError(`There is a tool "${name}" already.`);
      known.set(name, tool);
    },
    get: (name) => known.get(name),
    specs: () => [...known.values()].map(({ spec }) => spec),
    [Symbol.iterator]: () => known.values(),
  };
  for (const tool of tools) registry.register(tool);
  return registry;
}
