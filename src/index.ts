/** The public names, listed one by one. */

export { agentToAdapter, type TextAgent } from './adapters/agent-adapter.js';
export { type AgentLoop, type AgentLoopOptions, type AgentReply, createAgentLoop } from './adapters/agent-loop.js';
export type { CallOptions } from './adapters/context.js';
export { defineTool, type SchemaSource, type ToolDefinition } from './adapters/define-tool.js';
export type { FromSchema } from './adapters/from-schema.js';
export { createLlmAdapter } from './adapters/llm-adapter.js';
export type { ModelOptions } from './adapters/model-of.js';
export { createReactAdapter, type ReactAdapterOptions } from './adapters/react-adapter.js';
export type { AdapterFn, RoleFn, Thread } from './adapters/role.js';
export { createToolRegistry, type ToolRegistry } from './adapters/tool-registry.js';
export type {
  Amount,
  Answer,
  Ask,
  Budget,
  Clock,
  Command,
  Complaint,
  Confined,
  ConfinedStep,
  Exit,
  Folders,
  GoesOn,
  Processes,
  Question,
  Reservation,
  Sandbox,
  StepContext,
} from './core/context.js';
export type { Census, Origin, Recorded, RunEvent, RunStatus, Sink, StepEvent, UsageTotal } from './core/events.js';
export type { Expression, Template } from './core/expression.js';
export { FAULTS, Fault, type FaultCode, type FaultData } from './core/faults.js';
export type { Json, JsonObject, JsonSchema } from './core/json.js';
export type { EndStatus, FileRead, Inspection, KindResult, Look, StepKind } from './core/kind.js';
export type {
  AnswerFormat,
  ChosenModel,
  Delta,
  Image,
  Message,
  ModelReply,
  ModelRequest,
  Models,
  PriceOf,
  Provider,
  ToolCall,
  ToolSpec,
  Usage,
} from './core/model.js';
export type { Artifact, StepPath } from './core/outcome.js';
export type {
  Assertion,
  ChildBody,
  Foreach,
  GroupBody,
  LeafBody,
  Limits,
  LoadedSchema,
  Permissions,
  Plan,
  Repeat,
  Skill,
  Step,
} from './core/plan.js';
export type { Position, Problem } from './core/problems.js';
export type { Tool, ToolResult } from './core/tool.js';
export { type AnthropicOptions, anthropicProvider } from './providers/anthropic.js';
export { type OpenAiOptions, openAiProvider } from './providers/openai.js';
export type {
  Checked,
  InputProblem,
  ModelChoice,
  NamedChoice,
  RunReport,
  RunRequest,
  RunStart,
  Surroundings,
} from './request.js';
export { checkPipeline, runPipeline, STEP_KINDS, TOOLS } from './run.js';
