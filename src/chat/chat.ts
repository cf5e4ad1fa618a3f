/** A chat: what a person types goes to the model or is a command; what comes of it is shown, and kept. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { UsageTotal } from '../core/events.js';
import { Fault, type FaultData, toFault } from '../core/faults.js';
import type { Skill } from '../core/plan.js';
import type { Tool } from '../core/tool.js';
import { withEvent } from '../core/usage.js';
import { counted, spentTexts } from '../core/words.js';
import { writeFileAtomic } from '../files/atomic-write.js';
import { type ChatScreen, createSpeaker, type Speaker, type Voice } from './answer.js';
import type { CallLog } from './call-log.js';
import { helpText, readTyped, type Typed } from './commands.js';
import { fileTools } from './file-tools.js';
import { chatsText, keptText, skillsText, toolsText } from './lists.js';
import { chatMarkdown } from './markdown.js';
import { pipelineTools, type RunSkill } from './pipeline-tools.js';
import { listSessions, type Session } from './session.js';
import { shellCommandTool } from './shell-command.js';
import { expanded } from './skill-text.js';
import { skillsTools } from './skills-tools.js';
import { chatSystem, PLAN_ONLY, START } from './system.js';

export interface ChatParts {
  readonly around: Parameters<typeof createSpeaker>[1];
  readonly screen: ChatScreen;
  /** Absolute: the project's folder of chats. */
  readonly dir: string;
  readonly cwd: string;
  /** Of a step: they work in the project here. */
  readonly fileTools: readonly Tool[];
  readonly log: CallLog | undefined;
  /** As they are now. */
  skills(): readonly Skill[];
  /** The text of a skill's REACT_AGENT.md; '' without one. */
  notesOf(skill: Skill): string;
  readonly runSkill: RunSkill;
  /** @param name a role, `provider/model-id`, `sketch`, `script:<file>`; without it the one that is in use */
  pickModel(name?: string): Promise<Voice & { readonly reason: string }>;
  openSession(id: string): Session;
}

export type Heard =
  | { readonly type: 'on' }
  | { readonly type: 'leave' }
  /** It was said to the person. */
  | { readonly type: 'failed'; readonly fault: FaultData };

export interface Chat {
  /** @param signal aborts the answer, not the chat */
  hear(line: string, signal: AbortSignal): Promise<Heard>;
  session(): Session;
  /** Of this chat, over its resumes. */
  usage(): UsageTotal;
}

const ON: Heard = { type: 'on' };

export function createChat(parts: ChatParts, first: Session): Chat {
  const { around, screen, log } = parts;
  let session = first;
  let usage = session.usage;
  let woken: readonly Skill[] = [];
  const wrap = (tools: readonly Tool[]) => log?.wrap(tools) ?? tools;
  let speaker = speakerOf(session);

  function speakerOf(of: Session): Speaker {
    const counting = {
      ...of,
      write(line: Parameters<Session['write']>[0]) {
        if (line.type === 'event') usage = withEvent(usage, line.event);
        of.write(line);
      },
    };
    return createSpeaker(counting, around, screen, wrap);
  }

  const toolsNow = (): Tool[] => {
    const skills = parts.skills();
    const offered = skills.filter(
      (skill) => skill.description !== undefined || woken.some(({ name }) => name === skill.name),
    );
    return [
      ...skillsTools(parts.skills, parts.notesOf),
      ...fileTools(parts.fileTools),
      shellCommandTool,
      ...pipelineTools(offered, parts.runSkill),
    ];
  };

  /** @param tools none for a plan */
  async function say(text: string, tools: readonly Tool[], signal: AbortSignal): Promise<void> {
    const voice = await parts.pickModel();
    speaker.history.add([{ role: 'user', text: around.redactor?.text(text) ?? text }], undefined);
    const system = chatSystem(around.project);
    const said = await speaker.answer(voice, system, tools, signal).catch((error) => {
      if (signal.aborted) speaker.history.add([{ role: 'user', text: STOPPED, aside: true }], undefined);
      throw error;
    });
    screen.end();
    if (said.type === 'cut')
      screen.note('! the answer was cut off at the model\'s length limit; say "go on", or ask for less');
    if (said.type === 'refused') throw new Fault('agent.refusal', 'the model refused to answer');
  }

  async function plan(task: string, signal: AbortSignal): Promise<void> {
    if (task === '') throw new Fault('input.invalid', '/plan needs a task', { hint: '/plan <task>' });
    await say(`${task}\n\n${PLAN_ONLY}`, [], signal);
    if (!around.ask) return screen.note('! nobody is at a terminal to say yes: only the plan was made');
    const question = { path: 'chat', title: 'Start the work?', ask: '', choices: ['yes', 'no'] };
    const { choice, comment } = await around.ask(question, signal);
    if (choice !== 'yes') return screen.note('nothing was started; say what should be different');
    await say(comment === '' ? START : `${START} ${comment}`, toolsNow(), signal);
  }

  async function model(name: string): Promise<void> {
    const { model: chosen, reason } = await parts.pickModel(name === '' ? undefined : name);
    const context = chosen.contextTokens === undefined ? '' : `, context ${chosen.contextTokens}`;
    screen.print(`${chosen.label}${chosen.host ? ` at ${chosen.host}` : ''} (${reason})${context}`);
  }

  function save(path: string): void {
    if (path === '') {
      screen.print(existsSync(session.file) ? keptText(session) : 'nothing was said yet');
      return;
    }
    const file = resolve(parts.cwd, path);
    if (existsSync(file)) throw new Fault('input.invalid', `${path} is there already`, { hint: 'Name another file.' });
    writeFileAtomic(file, chatMarkdown(session.id, speaker.history.messages()), { durable: false });
    screen.print(`wrote ${path}`);
  }

  function resume(id: string): void {
    const listed = listSessions(parts.dir);
    if (id === '') {
      screen.print(chatsText(listed));
      return;
    }
    const found = listed.filter((one) => one.id.startsWith(id));
    const [only] = found;
    if (!only || found.length > 1) {
      const message = only ? `"${id}" is the beginning of ${found.length} chats` : `there is no chat "${id}"`;
      throw new Fault('input.unknown', message, { hint: '/resume lists them.' });
    }
    session = parts.openSession(only.id);
    usage = session.usage;
    speaker = speakerOf(session);
    screen.note(`goes on with ${session.id}: ${counted(session.messages.length, 'message')}`);
  }

  async function command({ name, args }: Extract<Typed, { type: 'command' }>, signal: AbortSignal): Promise<Heard> {
    switch (name) {
      case 'help':
        screen.print(helpText());
        break;
      case 'skills':
        screen.print(skillsText(parts.skills(), screen.columns()));
        break;
      case 'tools':
        screen.print(
          toolsText(
            toolsNow().map(({ spec }) => spec),
            screen.columns(),
          ),
        );
        break;
      case 'model':
        await model(args);
        break;
      case 'cost':
        screen.print([counted(usage.calls, 'model call'), ...spentTexts(usage, 'said')].join(', '));
        break;
      case 'compact':
        if (!(await speaker.compact(await parts.pickModel(), signal)))
          screen.note('there is nothing yet that could give way');
        break;
      case 'plan':
        await plan(args, signal);
        break;
      case 'save':
        save(args);
        break;
      case 'resume':
        resume(args);
        break;
      case 'exit':
        return { type: 'leave' };
    }
    return ON;
  }

  async function obey(line: string, signal: AbortSignal): Promise<Heard> {
    const skills = parts.skills();
    const typed = readTyped(
      line,
      skills.map(({ name }) => name),
    );
    switch (typed.type) {
      case 'nothing':
        return ON;
      case 'command':
        return command(typed, signal);
      case 'unknown': {
        const near =
          typed.near === undefined ? '/help lists the commands, /skills the skills.' : `Did you mean /${typed.near}?`;
        throw new Fault('input.unknown', `there is no command or skill /${typed.name}`, { hint: near });
      }
      case 'skill': {
        const skill = skills.find(({ name }) => name === typed.name) as Skill;
        woken = [...woken, skill];
        await say(expanded(skill, typed.args, parts.notesOf(skill)), toolsNow(), signal);
        return ON;
      }
      case 'message':
        await say(typed.text, toolsNow(), signal);
        return ON;
    }
  }

  return {
    session: () => session,
    usage: () => usage,
    async hear(line, signal) {
      try {
        return await obey(line, signal);
      } catch (error) {
        const fault = toFault(error);
        screen.end();
        screen.note(
          signal.aborted
            ? speaker.stopped()
            : [`✗ ${fault.message}`, ...(fault.hint ? [`  try  ${fault.hint}`] : [])].join('\n'),
        );
        return { type: 'failed', fault };
      }
    },
  };
}

const STOPPED = '(The person stopped your answer here.)';
