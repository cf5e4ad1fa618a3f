/** What a record of a run's journal says, in words: a line a record, with its time and its step. */
import { cutTo } from '../core/columns.js';
import type { Recorded } from '../core/events.js';
import type { FaultData } from '../core/faults.js';
import { askedGate } from '../core/gate.js';
import { never } from '../core/json.js';
import { plainText } from '../core/plain-text.js';
import { idsOf } from '../core/step-path.js';
import { counted, duration, roundName, spentTexts, tokenCount, usd } from '../core/words.js';

export interface Line {
  /** '' for what is of the run as a whole. */
  readonly step: string;
  readonly text: string;
  readonly tone: 'plain' | 'good' | 'bad';
}

const MOST_COLUMNS = 300;

/** Undefined for a record that says nothing to a person. */
export function lineOf(event: Recorded): Line | undefined {
  const said = wordsOf(event);
  if (said === undefined) return undefined;
  const [text, tone = 'plain'] = said;
  return { step: 'path' in event ? event.path : '', text: plainText(text), tone };
}

function wordsOf(event: Recorded): [text: string, tone?: Line['tone']] | undefined {
  switch (event.type) {
    case 'run_started': {
      const model = event.model === undefined ? '' : `, model ${event.model}`;
      const origin = event.fork ? `, forked from ${event.fork.run}` : '';
      return [
        `${event.skill}/${event.slug} began${model}${origin}${event.query === '' ? '' : `: ${short(event.query)}`}`,
      ];
    }
    case 'run_resumed': {
      const from = event.from === undefined ? '' : `, ${event.from} again`;
      return [`resumed by process ${event.pid}${event.model === undefined ? '' : `, model ${event.model}`}${from}`];
    }
    case 'notice':
      return [`! ${event.text}`];
    // For the program that goes on with the run.
    case 'decided':
      return undefined;
    case 'step_started':
      return [`began${event.attempt > 1 ? `, attempt ${event.attempt}` : ''}${because(event.because)}`];
    case 'step_retry':
      return [`failed, and is tried again in ${duration(event.waitMs)}: ${faultText(event.fault)}`, 'bad'];
    case 'step_reused':
      return [event.from === event.path ? 'reused' : `reused from ${event.from}`, 'good'];
    case 'step_done': {
      const files = event.artifacts.map(({ path }) => path);
      const published = files.length === 0 ? '' : `: ${short(files.join(', '))}`;
      return [`done in ${duration(event.ms)}${published}`, 'good'];
    }
    case 'step_skipped':
      return [`skipped: ${event.reason}`];
    case 'step_failed':
      return [`failed after ${duration(event.ms)}: ${faultText(event.fault)}`, 'bad'];
    case 'step_ended':
      return [`ended the run as ${event.outcome}${event.message === '' ? '' : `: ${short(event.message)}`}`];
    case 'step_waiting': {
      const gate = askedGate(event.ask);
      return [gate ? `asks: ${short(gate.ask)} (${gate.choices.join(', ')})` : 'waits'];
    }
    case 'step_stopped':
      return [`stopped: ${faultText(event.fault)}`, 'bad'];
    case 'loop':
      return [event.of === 'items' ? counted(event.count, 'item') : roundName(event)];
    case 'round': {
      const { usage, estimatedTokens, usd: dollars } = event;
      const used = usage ? usage.inputTokens + usage.outputTokens : undefined;
      const facts = [
        event.model,
        used !== undefined ? tokenCount(used) : estimatedTokens === undefined ? '' : 'tokens unknown',
        dollars === undefined ? '' : usd(dollars),
        duration(event.ms),
      ].filter((text) => text !== '');
      const calls = event.calls.length === 0 ? '' : ` → ${event.calls.join(', ')}`;
      return [`round ${event.round}: ${facts.join(', ')}${calls}`];
    }
    case 'call_retry':
      return [
        `the model call failed, and is tried again in ${duration(event.waitMs)}: ${faultText(event.fault)}`,
        'bad',
      ];
    case 'call_lost':
      return ['a model call was lost', 'bad'];
    case 'fallback':
      return [`${event.to} takes the place of ${event.from}: ${faultText(event.fault)}`];
    case 'tool_started':
      return [`calls ${callText(event)}`];
    case 'tool':
      return event.ok
        ? [`${callText(event)}, ${duration(event.ms)}`]
        : [`${callText(event)} failed, ${duration(event.ms)}`, 'bad'];
    case 'tool_refused':
      return [`${event.name} was refused: ${short(event.reason)}`, 'bad'];
    case 'answer_refused':
      return [`the answer was sent back: ${short(event.problems.join('; '))}`, 'bad'];
    case 'step_notice':
      return [event.tone === undefined ? `! ${event.text}` : event.text];
    case 'run_ended': {
      const { status, outcome, message, census } = event;
      const name = outcome === status ? status : `${status} (${outcome})`;
      const counts = [
        `${census.done} of ${counted(census.asked, 'step')} done`,
        ...spentTexts(event.usage, 'left out'),
      ];
      const said = message === '' ? '' : `: ${short(message)}`;
      return [`${name}, ${counts.join(', ')}, ${duration(event.ms)}${said}`, status === 'done' ? 'good' : 'bad'];
    }
    default:
      return never(event);
  }
}

function because(reason: string): string {
  return reason === '' || /^attempt \d+$/.test(reason) ? '' : `: ${short(reason)}`;
}

function callText({ name, target }: { readonly name: string; readonly target?: string }): string {
  return target === undefined ? name : `${name} ${short(target)}`;
}

function faultText({ code, message, hint }: FaultData): string {
  return `${code}: ${short(message)}${hint === undefined ? '' : ` → ${short(hint)}`}`;
}

function short(text: string): string {
  return cutTo(plainText(text), MOST_COLUMNS);
}

/** Whether a record's step is the one that a person named: by its path, by ids, or because it stands in it. */
export function isOfStep(path: string, name: string): boolean {
  if (path === name || path.startsWith(`${name}/`)) return true;
  const ids = `/${idsOf(path)}/`;
  return ids.endsWith(`/${name}/`) || (!/\d/.test(name) && ids.includes(`/${name}/`));
}
