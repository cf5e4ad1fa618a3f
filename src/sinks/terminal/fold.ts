/** Folds an event into what is known of a run, and says what of it is said for good. */
import type { Recorded } from '../../core/events.js';
import { askedGate, decidedGate } from '../../core/gate.js';
import type { Json } from '../../core/json.js';
import type { StepPath } from '../../core/outcome.js';
import { plainText } from '../../core/plain-text.js';
import { isRoutine } from '../../core/reasons.js';
import { counted, duration, roundName, tokenCount } from '../../core/words.js';
import {
  addUse,
  type Became,
  begin,
  beginLoop,
  itemsAround,
  type OpenItems,
  type Progress,
  rememberFailure,
  set,
  setSubject,
  settle,
  wasSaid,
} from './progress.js';
import { NO_FIGURES, type Told } from './told.js';

export function fold(progress: Progress, event: Recorded): readonly Told[] {
  progress.since ??= Date.parse(event.at);
  const { steps, groups, items } = progress;
  switch (event.type) {
    case 'run_started':
      progress.ids = event.steps.map(({ id }) => id);
      for (const { id, kind } of event.steps) if (kind === 'ending') progress.endings.add(id);
      return [];
    case 'notice':
      return [{ ...ofStep(undefined, '!', 'warn'), text: plainText(event.text) }];
    case 'loop': {
      beginLoop(progress, event);
      if (event.of === 'items') return [];
      const round: Told = {
        ...ofStep(event.path, '↻', 'dim'),
        form: 'aside',
        joint: '  ',
        text: roundName(event),
        opens: `${event.path}/${event.count - 1}`,
      };
      return [round];
    }
    case 'step_started':
      begin(progress, event);
      return [];
    case 'round': {
      const step = steps.get(event.path);
      if (!event.counted) addUse(progress, event.path, event);
      if (step) set(step, { rounds: event.round });
      return [];
    }
    case 'tool_started':
    case 'tool': {
      const step = steps.get(event.path);
      if (!step || event.name === 'resolve') return [];
      if (event.type === 'tool') set(step, { tools: step.figures.tools + 1 });
      step.tool = plainText(`${event.name}${event.target ? ` ${event.target}` : ''}`);
      step.words = '';
      return [];
    }
    case 'tool_refused': {
      const step = steps.get(event.path);
      if (step) set(step, { tools: step.figures.tools + 1 });
      return [note('!', event.path, ': ', plainText(event.reason))];
    }
    case 'call_retry':
    case 'step_retry':
      if (event.type === 'call_retry') addUse(progress, event.path, event);
      return [note('↻', event.path, ' ', `again in ${duration(event.waitMs)}: ${plainText(event.fault.message)}`)];
    case 'call_lost':
      addUse(progress, event.path, event);
      return [note('↻', event.path, ' ', lostText(event))];
    case 'fallback':
      return [note('↻', event.path, ' ', plainText(`${event.from} → ${event.to}: ${event.fault.message}`))];
    case 'step_notice': {
      const step = steps.get(event.path);
      const text = plainText(event.text);
      if (event.tone === undefined) return [note('!', event.path, ': ', text)];
      if (event.tone === 'progress' || !step)
        return [{ ...ofStep(event.path, '·', 'dim'), joint: ': ', text, form: 'aside' }];
      setSubject(step, text);
      return [];
    }
    case 'step_done':
      return doneLines(progress, event);
    case 'step_reused':
      return quietInItems('=', 'info', event.path, 'reused', 'reused');
    case 'step_skipped': {
      const { path } = event;
      const wasOpen = groups.has(path) || items.has(path);
      const text = `${wasOpen ? 'stopped' : 'skipped'}: ${plainText(event.reason)}`;
      const isSaid = progress.stopped.delete(path) || isRoutine(event.reason) || progress.endings.has(path);
      const lines = wasOpen
        ? quietInItems('■', 'warn', path, text, 'other')
        : quietInItems('-', 'dim', path, text, 'other');
      return isSaid ? [] : lines;
    }
    case 'step_failed': {
      const { path, fault } = event;
      const known = wasSaid(progress, path, fault.message);
      const line = settled('✗', 'bad', path, plainText(fault.message));
      rememberFailure(progress, path, fault.message);
      settle(progress, path, 'failed');
      return known ? [] : [line];
    }
    case 'step_ended':
      return leaving('■', 'warn', event.path, plainText(event.outcome));
    case 'step_waiting':
      return leaving('…', 'warn', event.path, waitsFor(event.ask));
    case 'step_stopped': {
      const text = `stopped: ${plainText(firstLine(event.fault.message))}`;
      const lines = quietInItems('■', 'warn', event.path, text, 'other');
      progress.stopped.add(event.path);
      return lines;
    }
    case 'run_ended':
      for (const open of [steps, groups, items]) open.clear();
      progress.isOver = true;
      return [];
    default:
      return [];
  }

  function settled(mark: string, tone: Told['tone'], path: StepPath, text: string): Told {
    return { ...ofStep(path, mark, tone), figures: steps.get(path)?.figures ?? NO_FIGURES, text };
  }

  function leaving(mark: string, tone: Told['tone'], path: StepPath, text: string): readonly Told[] {
    const line = settled(mark, tone, path, text);
    settle(progress, path, 'other');
    return [line];
  }

  /** What stands in an item is not said: the line of the loop counts it. */
  function quietInItems(
    mark: string,
    tone: Told['tone'],
    path: StepPath,
    text: string,
    became: Became,
  ): readonly Told[] {
    const line = settled(mark, tone, path, text);
    const isQuiet = itemsAround(progress, path) !== undefined;
    settle(progress, path, became);
    return isQuiet ? [] : [line];
  }
}

function doneLines(progress: Progress, event: Extract<Recorded, { type: 'step_done' }>): readonly Told[] {
  const { path, key, ms, output } = event;
  const { steps, groups, items } = progress;
  const loop = items.get(path);
  const group = groups.get(path);
  const isQuiet = itemsAround(progress, path) !== undefined;
  const open = loop ?? group ?? steps.get(path);
  const { figures = NO_FIGURES, title = '' } = open ?? {};
  settle(progress, path, 'done');
  if (loop && loop.reused > 0 && loop.reused === loop.count) {
    return [{ ...ofStep(path, '=', 'info'), text: `${counted(loop.count, 'item')} reused` }];
  }
  const done: Told = { ...ofStep(path, '✓', 'good'), ms };
  if (loop) {
    const tone = loop.failed.size > 0 ? ({ tone: 'warn' } as const) : {};
    return [{ ...done, ...tone, text: itemsText(loop), within: figures }];
  }
  if (isQuiet) return [];
  if (group) {
    if (group.round === undefined || group.round < 2) return [];
    return [{ ...done, text: counted(group.round, 'round'), within: figures, forPerson: true }];
  }
  if (key === '') return [];
  const choice = choiceIn(output);
  return [{ ...done, title, figures: choice === undefined ? figures : { ...figures, subject: choice } }];
}

function choiceIn(output: Json): string | undefined {
  const decided = decidedGate(output);
  if (!decided) return undefined;
  const { choice, comment } = decided;
  return plainText(comment === '' ? choice : `${choice}: ${comment}`);
}

function ofStep(path: StepPath | undefined, mark: string, tone: Told['tone']): Told {
  return { mark, tone, path, form: 'settled', figures: NO_FIGURES, joint: '  ', text: '' };
}

function note(mark: string, path: StepPath, joint: Told['joint'], text: string): Told {
  return { ...ofStep(path, mark, 'warn'), form: 'note', joint, text };
}

function itemsText({ count, failed, reused }: OpenItems): string {
  const kept = reused > 0 ? `, ${reused} reused` : '';
  if (failed.size === 0) return `${counted(count, 'item')}${kept}`;
  return `${count - failed.size} of ${counted(count, 'item')}, ${failed.size} failed${kept}`;
}

function waitsFor(ask: Json): string {
  const gate = askedGate(ask);
  return gate ? `waits for an answer: ${plainText(gate.choices.join(', '))}` : 'waits';
}

/** What goes on below it, e.g. a diff, is said at the end. */
function firstLine(text: string): string {
  return (text.split('\n', 1)[0] ?? '').replace(/:$/, '');
}

function lostText({ usage, estimatedTokens = 0 }: Extract<Recorded, { type: 'call_lost' }>): string {
  if (usage) return `lost what a call had answered, ${tokenCount(usage.inputTokens + usage.outputTokens)}`;
  return `lost a call, which counts as ${tokenCount(estimatedTokens)}`;
}
