/** Something a model may call. */
import type { StepContext } from './context.js';
import type { Json, JsonObject } from './json.js';
import type { ToolSpec } from './model.js';

/** Something a model may call. Failures that the model can act on are returned, never thrown. */
export interface Tool<Args = JsonObject> {
  readonly spec: ToolSpec;
  /** Reads run in parallel, effects one by one in the order of the calls. */
  readonly effect: 'none' | 'write' | 'process' | 'network';
  execute(args: Args, context: StepContext): Promise<ToolResult>;
}

export type ToolResult =
  /** `read`: absolute path of the file that was read, if the call was a read. */
  | { readonly type: 'text'; readonly text: string; readonly read?: string }
  | { readonly type: 'error'; readonly text: string }
  /** Ends the loop; only `resolve` makes it. */
  | { readonly type: 'resolved'; readonly value: Json };
