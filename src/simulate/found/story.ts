/** What happened in a run that broke something, in a sentence and step by step. */
import type { Recorded } from '../../core/events.js';
import type { SimulatedRun } from '../run-facts.js';

/** What was out of the ordinary, in its order. */
export function storyOf({ sessions, acts }: SimulatedRun): string {
  const parts: string[] = [];
  const add = (text: string) => {
    if (!parts.includes(text)) parts.push(text);
  };
  for (const [number, { events, end, isDiskFailed, isPowerLost }] of sessions.entries()) {
    for (const act of acts) {
      if (act.of === 'process' && act.session === number && act.hangs) add(`the process of "${act.path}" never ended`);
    }
    for (const event of events) {
      if (event.type === 'step_failed') add(`"${event.path}" failed (${event.fault.code})`);
      if (event.type === 'step_skipped' && event.reason.startsWith('blocked'))
        add(`"${event.path}" was ${event.reason}`);
      if (event.type === 'step_ended') add(`"${event.path}" ended the run as ${event.as}`);
      if (event.type === 'answer_refused') add(`an answer of "${event.path}" was sent back`);
    }
    if (isDiskFailed) add('the disk refused a write');
    const what = isPowerLost ? 'the power failed' : 'the process was killed';
    if (end.type === 'killed') add(`${what} at its operation ${end.at}${number > 0 ? ' again' : ''}`);
  }
  const last = sessions.at(-1)?.end;
  if (last?.type === 'ended') add(`the run came to its end as ${last.report.status}`);
  const answers = acts.filter((act) => act.of === 'gate').map((act) => `"${act.path}" was answered "${act.choice}"`);
  const said = [...answers, ...parts];
  const sentence = said.length === 0 ? 'nothing out of the ordinary happened' : said.join(', then ');
  return `${sentence.slice(0, 1).toUpperCase()}${sentence.slice(1)}.`;
}

/** One line an event, for `--trace`. */
export function traceOf({ sessions }: SimulatedRun): string[] {
  return sessions.flatMap(({ events, end, isPowerLost }, number) => [
    ...(number > 0 ? [`-- session ${number + 1}`] : []),
    ...events.map(lineOf),
    ...(end.type === 'killed' ? [`-- ${isPowerLost ? 'the power failed' : 'killed'} at operation ${end.at}`] : []),
    ...(end.type === 'hung' ? ['-- it hangs'] : []),
  ]);
}

function lineOf(event: Recorded): string {
  const { seq, at, type, ...rest } = event;
  const path = 'path' in event ? ` ${event.path}` : '';
  return `${String(seq).padStart(4)} ${at.slice(11, 23)} ${type}${path}${detailOf(rest)}`;
}

function detailOf(event: object): string {
  const one = event as Readonly<Record<string, unknown>>;
  const fault = one.fault as { code: string; message: string } | undefined;
  if (fault) return ` ${fault.code}: ${fault.message}`;
  for (const key of ['output', 'reason', 'problems', 'status', 'text', 'calls', 'count', 'name']) {
    if (one[key] === undefined) continue;
    const text = JSON.stringify(one[key]);
    return ` ${key} ${text.length > 160 ? `${text.slice(0, 160)}…` : text}`;
  }
  return '';
}
