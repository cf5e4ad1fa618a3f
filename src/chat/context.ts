/** What the tools of a chat may touch: the project as their work folder, no journal, no limit. */
import { foldersIn, stepOfNoPlan, UNLIMITED } from '../agent/no-run.js';
import type { Ask, Clock, Processes, Sandbox, StepContext } from '../core/context.js';
import type { StepEvent } from '../core/events.js';
import type { Delta, Models } from '../core/model.js';
import type { Skill } from '../core/plan.js';
import type { PieceFilter, Redactor } from '../core/secrets.js';

/** What surrounds a chat. Folders are absolute. */
export interface Surroundings {
  readonly project: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly models: Models;
  readonly processes: Processes;
  readonly sandbox: Sandbox;
  readonly clock: Clock;
  readonly random: () => number;
  readonly newId: () => string;
  /** Undefined where the environment holds no secret. */
  readonly redactor: Redactor | undefined;
  /** Undefined where nobody is at a terminal. */
  readonly ask: Ask | undefined;
  findSkill(name: string): Skill | undefined;
}

export interface Listener {
  emit(event: StepEvent): void;
  /** Text without secrets. */
  onText(text: string): void;
}

/** @param folder absolute: the chat's own, for long results @param name tells a sub-agent from the chat */
export function chatContext(
  around: Surroundings,
  folder: string,
  signal: AbortSignal,
  listener: Listener,
  name = 'chat',
): StepContext {
  const filter: PieceFilter<string> = around.redactor?.texts() ?? AS_IT_IS;
  const show = (text: string) => {
    if (text !== '') listener.onText(text);
  };
  return {
    path: name,
    step: stepOfNoPlan('chat'),
    folders: foldersIn(folder, around.project),
    query: '',
    inputs: {},
    permissions: { read: [], write: [], env: [], network: false },
    environment: around.environment,
    placeholder: false,
    readable: [],
    held: new Map(),
    stepKey: name,
    keyHash: name,
    ask: around.ask,
    signal,
    hold: () => () => undefined,
    clock: around.clock,
    processes: around.processes,
    sandbox: around.sandbox,
    models: around.models,
    tools: [],
    budget: UNLIMITED,
    continues: undefined,
    goesOn: undefined,
    findSkill: around.findSkill,
    random: around.random,
    redact: (text) => around.redactor?.text(text) ?? text,
    newId: around.newId,
    async emit(event) {
      if (event.type === 'round') show(filter.end());
      listener.emit(event);
    },
    onDelta({ type, text }: Delta) {
      if (type === 'text') show(filter.push(text));
    },
    judge: async () => [],
  };
}

const AS_IT_IS: PieceFilter<string> = { push: (text) => text, end: () => '' };
