/** openChat(): a chat wired to its project: models, a sandbox, processes, skills with the pipelines among them. */
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { callLog } from './chat/call-log.js';
import { type Chat, type ChatParts, createChat } from './chat/chat.js';
import type { RanSkill } from './chat/pipeline-tools.js';
import { listSessions, newSessionId, openSession } from './chat/session.js';
import { systemClock } from './core/clock.js';
import type { Ask, Sandbox } from './core/context.js';
import { Fault } from './core/faults.js';
import type { Provider } from './core/model.js';
import type { Skill } from './core/plan.js';
import { isProviderKey } from './core/provider-keys.js';
import { createRedactor } from './core/secrets.js';
import { providerNames } from './load/config.js';
import type { Project } from './load/open-project.js';
import { runsDirOf } from './load/project.js';
import { discoverSkills, findSkill } from './load/skills.js';
import { sandboxHere } from './machine.js';
import { createProcesses } from './process/run.js';
import { createModels, type PickedModels } from './providers/models.js';
import type { RunReport, RunRequest, Surroundings } from './request.js';
import { openProject, runPipeline, TOOLS } from './run.js';
import { hashFolder } from './skills/hash.js';

export interface ChatRequest extends Surroundings {
  /** Beside the built-in ones, by the name that stands before the `/`. */
  readonly providers?: Readonly<Record<string, Provider>>;
  /** Replaces every model until `/model` names another one. */
  readonly model?: string;
  readonly detect?: boolean;
  readonly sandbox?: 'auto' | 'off';
  /** Go on with the newest chat, or with one by the beginning of its id. */
  readonly resume?: boolean | string;
  /** Writes every tool call to logs/agent.log of the project. */
  readonly debug?: boolean;
  readonly screen: ChatParts['screen'];
  /** Asks the person at the terminal; undefined where nobody is. */
  readonly ask?: Ask | undefined;
  /** The same for the gates of pipelines, where a comment is worth asking for. */
  readonly askAtGates?: Ask | undefined;
  /** The command that goes on with a run that the person has stopped. @param dir of the run */
  readonly resumeLine?: (dir: string) => string;
  /** What shows how a run goes, made anew for each. */
  readonly progress?: () => Pick<RunRequest, 'sinks' | 'onDelta' | 'onStart'>;
}

export interface OpenedChat extends Chat {
  /** Absolute: the project's folder of chats. */
  readonly dir: string;
  /** Whether anything was said in it. */
  hasSpoken(): boolean;
  /** The model that will answer, and why this one. */
  model(): Promise<{
    readonly label: string;
    readonly host: string;
    readonly reason: string;
    readonly placeholder: boolean;
  }>;
  /** Ends what it has started. */
  close(): Promise<void>;
}

export function openChat(request: ChatRequest): OpenedChat {
  const { env, cwd, screen } = request;
  const project = openProject(request);
  const dir = join(runsDirOf(project.dir), '.chat');
  const redactor = createRedactor(env);
  const processes = createProcesses({
    marker: randomUUID(),
    ...(redactor ? { newFilter: () => redactor.bytes() } : {}),
  });
  const secretNames = [...providerNames(project.config), ...Object.keys(request.providers ?? {})];
  const open = (id: string) => openSession(dir, id, systemClock.now, redactor);
  let flag = request.model;
  let models = modelsFor(request, project, flag);
  let sandbox: Promise<Sandbox> | undefined;
  const agreed = new Map(pipelineSkills(project).map((skill) => [skill.dir, hashOf(skill)]));

  const chat = createChat(
    {
      around: {
        project: project.dir,
        environment: Object.fromEntries(Object.entries(env).filter(([name]) => !isProviderKey(name, secretNames))),
        processes,
        sandbox: () => {
          const off = (request.sandbox ?? project.config.sandbox) === 'off';
          sandbox ??= off ? Promise.resolve({ type: 'off' }) : sandboxHere(env);
          return sandbox;
        },
        clock: systemClock,
        random: Math.random,
        newId: randomUUID,
        redactor,
        ask: request.ask,
        findSkill: (name) => findSkill(name, project.places).skill,
      },
      screen,
      dir,
      cwd,
      fileTools: TOOLS.filter(({ spec }) => spec.name !== 'shell'),
      log: request.debug
        ? callLog(join(project.dir, 'logs', 'agent.log'), systemClock.now, (reason) =>
            screen.note(`! logs/agent.log cannot be written: ${reason}`),
          )
        : undefined,
      skills: () => discoverSkills(project.places).skills,
      notesOf: ({ notes }) => notes?.text ?? '',
      async pickModel(name) {
        const picked = name === undefined ? models : modelsFor(request, project, name);
        const { reason } = await picked.describe();
        const model = await picked.pick('default');
        if (name !== undefined) [flag, models] = [name, picked];
        return { model, models: picked, reason };
      },
      async runSkill(skill, query, signal) {
        const changed =
          agreed.get(skill.dir) === hashOf(skill) ? undefined : await refusesChanged(skill, request, signal);
        if (changed) return { ok: false, text: changed };
        agreed.set(skill.dir, hashOf(skill));
        const report = await runPipeline({
          target: skill.dir,
          query,
          cwd,
          env,
          skillsDirs: request.skillsDirs ?? [],
          ...(flag === undefined ? {} : { model: flag }),
          ...(request.detect === undefined ? {} : { detect: request.detect }),
          ...(request.sandbox === undefined ? {} : { sandbox: request.sandbox }),
          ...(request.askAtGates ? { ask: request.askAtGates } : {}),
          ...(request.providers ? { providers: request.providers } : {}),
          ...request.progress?.(),
          signal,
        });
        if (signal.aborted && report.status === 'cancelled' && request.resumeLine)
          screen.note(`  go on  ${request.resumeLine(report.dir)}`);
        return told(report, project.dir);
      },
      openSession: open,
    },
    open(idMeant(request.resume, dir)),
  );
  return {
    ...chat,
    dir,
    hasSpoken: () => existsSync(chat.session().file),
    model: () => models.describe(),
    close: () => processes.endAll(false),
  };
}

function modelsFor(request: ChatRequest, { config }: Project, flagModel: string | undefined): PickedModels {
  return createModels({
    roles: config.models,
    env: request.env,
    flagModel,
    detect: (request.detect ?? true) && config.detect,
    cwd: request.cwd,
    clock: systemClock,
    limits: config.providers,
    onNotice: (text) => request.screen.note(text),
    ...(request.providers ? { providers: request.providers } : {}),
  });
}

/** Of an earlier chat, or a new one. */
function idMeant(resume: ChatRequest['resume'], dir: string): string {
  if (resume === undefined || resume === false) return newSessionId(systemClock.now(), Math.random);
  const listed = listSessions(dir);
  const found = resume === true ? listed.slice(0, 1) : listed.filter(({ id }) => id.startsWith(resume));
  const [only] = found;
  if (only && found.length === 1) return only.id;
  const message =
    resume === true
      ? 'no chat of this project was kept yet'
      : only
        ? `"${resume}" is the beginning of ${found.length} chats`
        : `there is no chat "${resume}"`;
  throw new Fault('input.unknown', message, { hint: 'Begin one: pipeline chat; /resume in it lists them.' });
}

const pipelineSkills = (project: Project) =>
  discoverSkills(project.places).skills.filter(({ runsAs }) => runsAs !== 'agent');

/** Of all its files; undefined if they cannot be read. */
function hashOf({ dir }: Skill): string | undefined {
  try {
    return hashFolder(dir).computedHash;
  } catch {
    return undefined;
  }
}

/** A model that can write files could write what a pipeline runs outside of every sandbox: a person looks first. */
async function refusesChanged(
  { name, dir }: Skill,
  { ask }: ChatRequest,
  signal: AbortSignal,
): Promise<string | undefined> {
  const why = `the skill "${name}" was changed since this chat began`;
  if (!ask) return `${why}, and nobody is at a terminal to agree to it. Nothing was run.`;
  const question = {
    path: 'chat',
    title: `Run the skill "${name}" as it is now?`,
    ask: `It was changed since this chat began, perhaps by the model. Its commands run outside of the sandbox: look at ${dir} first.`,
    choices: ['no', 'run it'],
  };
  const { choice } = await ask(question, signal);
  return choice === 'run it' ? undefined : `${why}, and the person did not agree to it. Nothing was run.`;
}

/** What came of a run, for a model. */
function told(report: RunReport, projectDir: string): RanSkill {
  if (report.status === 'invalid') {
    const problems = [...report.problems.filter(({ severity }) => severity === 'error'), ...report.inputs];
    return { ok: false, text: ['nothing was run:', ...problems.map(({ message }) => `- ${message}`)].join('\n') };
  }
  const { status, outcome, message, dir, result } = report;
  const parts = [
    outcome === status ? status : `${status} (${outcome})`,
    ...(message === '' ? [] : [message]),
    `run folder: ${relative(projectDir, dir)}`,
    ...published(dir).map((path) => `- ${path}`),
    ...(result === null ? [] : ['result:', typeof result === 'string' ? result : JSON.stringify(result, null, 1)]),
  ];
  return { ok: status === 'done' || status === 'refused', text: parts.join('\n') };
}

const OWN = new Set(['run.json', 'events.ndjson', 'report.html']);
const MOST_FILES = 40;

function published(dir: string): string[] {
  const files = readdirSync(dir, { recursive: true, withFileTypes: true, encoding: 'utf8' })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(dir, join(entry.parentPath, entry.name)))
    .filter((path) => !path.split('/').some((name) => name.startsWith('.')) && !OWN.has(path))
    .sort();
  const more = files.length - MOST_FILES;
  return more > 0 ? [...files.slice(0, MOST_FILES), `… ${more} more`] : files;
}
