/** The addresses of the list of runs. */
import type { Hono } from 'hono';
import { runDirAt } from '../engine/run-dir.js';
import { html } from '../report/html.js';
import { stateName } from './events.js';
import { figuresReader } from './figures.js';
import { documentTitle } from './frame.js';
import { asksForNews, type House } from './house.js';
import { fileStamp, type KnownRun } from './known-runs.js';
import { filterForm, filterOf, listSections } from './list-page.js';
import { LIVE } from './statuses.js';

export function addListRoutes(app: Hono, house: House): void {
  const { known, door } = house;
  const figuresOf = figuresReader();

  app.get(door.room, ({ req }) => {
    const filter = filterOf(new URL(req.url).searchParams);
    const state = stateName(stateOfList());
    const listed = { projects: known.projects, runs: known.all(), figuresOf };
    const sections = listSections(listed, filter);
    if (asksForNews(req.raw)) return house.news({ title: documentTitle('Runs'), sections }, req.header('x-have') ?? '');
    const body = html`<h1 class="ui-title">Runs<a class="ui-button" href="start">Start a skill</a></h1>${filterForm(listed, filter)}${sections.map(({ markup }) => markup)}`;
    return house.page({ title: 'Runs', events: { address: '.events', state }, sections }, body);
  });

  app.get(`${door.room}.events`, () => house.changes(stateOfList));

  function stateOfList(): string {
    return known.all().map(stateOf).join(' ');
  }
}

/** Differs once a line of the list would. */
function stateOf({ dir, run, status }: KnownRun): string {
  const live = status === LIVE ? fileStamp(runDirAt(dir).journal) : '';
  return `${run.run}.${status}.${run.ended ?? ''}.${live}`;
}
