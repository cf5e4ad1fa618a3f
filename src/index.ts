/** The public names, listed one by one. */
export type { Census, Recorded, RunEvent, RunStatus, Sink, StepEvent, UsageTotal } from './core/events.js';
export { FAULTS, Fault, type FaultCode, type FaultData } from './core/faults.js';
export type { Json, JsonObject, JsonSchema } from './core/json.js';
export type { Position, Problem } from './core/problems.js';
export type {
  ChosenModel,
  Clock,
  Complaint,
  Delta,
  Inspection,
  KindResult,
  Look,
  Message,
  ModelReply,
  ModelRequest,
  Plan,
  Processes,
  Provider,
  Step,
  StepContext,
  StepKind,
  Tool,
  ToolCall,
  ToolResult,
  ToolSpec,
  Usage,
} from './core/types.js';
export {
  checkPipeline,
  type RunReport,
  type RunRequest,
  type RunStart,
  runPipeline,
  STEP_KINDS,
  TOOLS,
} from './run.js';
