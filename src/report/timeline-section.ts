/** When each step was at work: bars over the time of all sessions. */
import { duration } from '../core/words.js';
import { anchorOf } from './anchors.js';
import { type Html, html } from './html.js';
import { spokenName } from './texts.js';
import type { Span, SpanType, TimeRange } from './timeline.js';
import type { RunView, StepView } from './view.js';

const MOST_ROWS = 120;
/** A loop with more items than this is one row of lanes. */
const FEW_ITEMS = 6;
const MOST_LANES = 12;
const LANE_HEIGHT = 6;
/** Drawn in one row of lanes. */
const MOST_BARS = 2_000;
/** Of the whole, in percent: a cut between two sessions. */
const CUT_WIDTH = 2;
const LEAST_WIDTH = 0.35;

/** Percent of the width. */
type Scale = (ms: number) => number;

export function timelineSection({ timeline, steps, ms }: RunView): Html | undefined {
  const { sessions, spans } = timeline;
  const total = sessions.reduce((sum, { from, to }) => sum + to - from, 0);
  if (total <= 0) return undefined;
  const scale = scaleOf(sessions, total);
  const rows: Html[] = [];
  const addAll = (list: readonly StepView[], depth: number) => {
    for (const step of list) {
      if (rows.length >= MOST_ROWS) return;
      const own = spans[step.path] ?? [];
      const isMany = step.steps.length > FEW_ITEMS && step.steps.every(({ kind }) => kind === 'item');
      if (own.length === 0 && step.steps.length === 0) continue;
      const bars = isMany ? lanes(step.steps, spans, scale) : barsOf(own.length > 0 ? own : [rangeOf(step)], scale);
      rows.push(row(step, depth, bars));
      if (!isMany) addAll(step.steps, depth + 1);
    }
  };
  addAll(steps, 0);
  if (rows.length === 0) return undefined;
  return html`<section id="timeline" aria-labelledby="timeline-h"><h2 id="timeline-h">Timeline</h2>
<div class="wide" tabindex="0" role="group" aria-label="timeline"><table class="time"><caption>${duration(ms)}${
    sessions.length > 1 && ` of work in ${sessions.length} sessions; the time between them is cut out`
  }</caption>
<thead><tr><th scope="col">Step</th><th scope="col">${axis(sessions, total, scale)}</th><th scope="col" class="n">Took</th></tr></thead>
<tbody>${rows}</tbody></table></div>
${rows.length >= MOST_ROWS && html`<p class="cut">The first ${MOST_ROWS} rows are drawn.</p>`}
<p class="legend">${LEGEND.map(([type, words]) => html`<span><i class="swatch ${type}"></i>${words}</span>`)}</p></section>`;
}

const LEGEND: readonly (readonly [SpanType, string])[] = [
  ['done', 'done'],
  ['failed', 'failed attempt'],
  ['backoff', 'wait before another attempt'],
  ['asked', 'a person is asked'],
  ['reused', 'reused'],
  ['held', 'group or loop'],
];

function scaleOf(sessions: readonly TimeRange[], total: number): Scale {
  const cuts = sessions.length - 1;
  const share = (100 - cuts * CUT_WIDTH) / total;
  return (at) => {
    let x = 0;
    for (const [index, { from, to }] of sessions.entries()) {
      const isLast = index === sessions.length - 1;
      if (at <= to || isLast) return x + Math.max(0, Math.min(at, to) - from) * share;
      x += (to - from) * share + CUT_WIDTH;
    }
    return x;
  };
}

/** A few round times, and where sessions are cut. */
function axis(sessions: readonly TimeRange[], total: number, scale: Scale): Html {
  const [first] = sessions;
  if (!first) return html``;
  const every = roundStep(total / 5);
  const ticks: Html[] = [];
  if (sessions.length === 1) {
    for (let ms = 0; ms < total * 0.96; ms += every) {
      const x = percent(scale(first.from + ms));
      ticks.push(
        html`<line x1="${x}" x2="${x}" y1="14" y2="20"/><text x="${x}" y="10">${ms === 0 ? '0' : duration(ms)}</text>`,
      );
    }
  }
  const marks = sessions.map(({ from }, at) => {
    if (sessions.length === 1) return html``;
    const x = percent(scale(from));
    return html`<line x1="${x}" x2="${x}" y1="0" y2="20"/><text x="${x}" dx="3" y="10">${`session ${at + 1}`}</text>`;
  });
  return html`<svg class="axis" width="100%" height="20" role="img" aria-label="time since the run began">${ticks}${marks}</svg>`;
}

function roundStep(ms: number): number {
  const steps = [
    1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 15e3, 3e4, 6e4, 12e4, 3e5, 6e5, 9e5, 18e5, 36e5,
  ];
  return steps.find((step) => step >= ms) ?? Math.ceil(ms / 36e5) * 36e5;
}

function row(step: StepView, depth: number, bars: Html): Html {
  const { path, ms, status } = step;
  return html`<tr><th scope="row" class="d${Math.min(depth, 6)}"><a href="#${anchorOf('step', path)}">${spokenName(step)}</a></th><td>${bars}</td><td class="n">${
    status === 'reused' ? 'reused' : ms === undefined ? '' : duration(ms)
  }</td></tr>`;
}

function rangeOf({ began, ms = 0 }: StepView): Span {
  const from = began === undefined ? 0 : Date.parse(began);
  return { from, to: from + ms, type: 'held' };
}

function barsOf(spans: readonly Span[], scale: Scale): Html {
  return html`<svg class="bars" width="100%" height="16" aria-hidden="true">${spans.map((span) => bar(span, scale, 3, 10))}</svg>`;
}

function bar({ from, to, type }: Span, scale: Scale, y: number, height: number): Html {
  const [start, end] = [scale(from), scale(to)];
  const width = Math.max(end - start, LEAST_WIDTH);
  const x = Math.min(start, 100 - width);
  const isThin = type === 'held';
  return html`<rect class="bar ${type}" x="${percent(x)}" width="${percent(width)}" y="${isThin ? y + height / 2 - 1 : y}" height="${isThin ? 2 : height}" rx="${isThin ? 1 : 2}"/>`;
}

/** Beside each other what was at work at the same time. */
function lanes(items: readonly StepView[], spans: RunView['timeline']['spans'], scale: Scale): Html {
  const all = items.flatMap((item): readonly Span[] => {
    const own = spans[item.path] ?? [];
    if (own.length > 0) return own;
    return item.began === undefined ? [] : [{ ...rangeOf(item), type: typeOf(item) }];
  });
  const inOrder = [...all].sort((a, b) => a.from - b.from).slice(0, MOST_BARS);
  const ends: number[] = [];
  const bars = inOrder.map((span) => {
    const free = ends.findIndex((end) => end <= span.from);
    const lane = free >= 0 ? free : ends.length < MOST_LANES ? ends.length : ends.indexOf(Math.min(...ends));
    ends[lane] = span.to;
    return bar(span, scale, lane * LANE_HEIGHT + 2, LANE_HEIGHT - 1);
  });
  return html`<svg class="bars" width="100%" height="${Math.max(16, ends.length * LANE_HEIGHT + 4)}" aria-hidden="true">${bars}</svg>`;
}

/** Of an item with steps in it. */
function typeOf({ status }: StepView): SpanType {
  switch (status) {
    case 'failed':
    case 'running':
    case 'interrupted':
    case 'stopped':
    case 'reused':
      return status;
    case 'waiting':
      return 'asked';
    default:
      return 'done';
  }
}

function percent(share: number): string {
  return `${Math.round(share * 100) / 100}%`;
}
