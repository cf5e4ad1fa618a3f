/** What all pages share: the runs, who may see them, how answers are written. */
import { toFault } from '../core/faults.js';
import { createRedactor } from '../core/secrets.js';
import type { Html } from '../report/html.js';
import type { Door } from './door.js';
import { changesOf } from './events.js';
import { faultPage, statusOfFault } from './fault-page.js';
import { type Around, framed, newsOf, type Shown } from './frame.js';
import type { KnownRuns } from './known-runs.js';
import type { Pulse } from './pulse.js';
import type { Given } from './sessions.js';

export interface House {
  readonly door: Door;
  readonly known: KnownRuns;
  readonly given: Given;
  /** A page of ours around this. */
  page(around: Omit<Around, 'room'>, body: Html, status?: number): Response;
  /** HTML, without a secret of the environment. */
  text(document: string, more?: { readonly status?: number; readonly policy?: string }): Response;
  /** What a page lacks of this. */
  news(shown: Shown, have: string): Response;
  /** Says when what `look` gives has changed. */
  changes(look: () => string): Response;
  fault(error: unknown): Response;
}

export function createHouse(parts: Pick<House, 'door' | 'known' | 'given'> & { readonly pulse: Pulse }): House {
  const { door, known, given, pulse } = parts;
  const { room } = door;
  const redactor = createRedactor(given.env);
  const clean = (text: string) => redactor?.text(text) ?? text;
  const projects = known.projects.map(({ name }) => name).join(', ');
  const text: House['text'] = (document, { status = 200, policy } = {}) => {
    const headers = { 'content-type': 'text/html; charset=utf-8' };
    const own = policy === undefined ? {} : { 'content-security-policy': policy };
    return new Response(clean(document), { status, headers: { ...headers, ...own } });
  };
  const page: House['page'] = (around, body, status) =>
    text(framed({ ...around, room }, projects, body), status === undefined ? {} : { status });
  return {
    door,
    known,
    given,
    page,
    text,
    news(shown, have) {
      const headers = { 'content-type': 'application/json; charset=utf-8' };
      return new Response(clean(JSON.stringify(newsOf(shown, have))), { headers });
    },
    changes: (look) => changesOf(pulse, look) ?? busy(),
    fault(error) {
      const fault = toFault(error);
      const title = fault.code === 'input.unknown' ? 'Not here' : 'That did not work';
      return page({ title }, faultPage(title, fault, room), statusOfFault(fault));
    },
  };
}

function busy(): Response {
  return new Response('Too many pages listen already: close some.\n', { status: 503 });
}

/** Whether a page asks for what it lacks, instead of a document. */
export function asksForNews(request: Request): boolean {
  return request.headers.get('accept') === 'application/json';
}

/** To another address, by GET. */
export function goTo(address: string): Response {
  return new Response(null, { status: 303, headers: { location: address } });
}
