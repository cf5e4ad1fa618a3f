/** The page of one run: its report, kept up to date while it goes on, with what a person can do about it. */
import { join } from 'node:path';
import { createRedactor } from '../core/secrets.js';
import { runDirAt } from '../engine/run-dir.js';
import { ownSources, reportPage, type Section, sectionsOf } from '../report/page.js';
import { runView } from '../report/run-view.js';
import { stateName } from './events.js';
import { bannerOf, headOf } from './frame.js';
import { pagePolicy } from './headers.js';
import type { House } from './house.js';
import { fileStamp, type KnownRun } from './known-runs.js';
import { actionsOf, gatesThatWait } from './run-actions.js';

export interface RunPages {
  sections(one: KnownRun, said: string): Promise<readonly Section[]>;
  document(one: KnownRun, said: string): Promise<Response>;
  /** Differs once the page would. */
  state(one: KnownRun): string;
}

export function createRunPages(house: House): RunPages {
  const { door, given } = house;
  const redactor = createRedactor(given.env);
  const viewOf = ({ dir }: KnownRun) => runView(dir, { redactor });
  const actionSection = (one: KnownRun, said: string): Section => ({
    id: 'ui-actions',
    title: 'Actions',
    markup: actionsOf(one, door.formKey, SAID[said] ?? ''),
  });
  const state = stateReader();
  return {
    state,
    async sections(one, said) {
      return [actionSection(one, said), ...(await sectionsOf(viewOf(one)))];
    },
    async document(one, said) {
      // Taken first: what changes meanwhile is told.
      const before = stateName(state(one));
      const view = viewOf(one);
      const actions = actionSection(one, said);
      const sections = [actions, ...(await sectionsOf(view))];
      const around = { room: door.room, events: { address: '.events', state: before }, sections };
      const page = await reportPage(view, {
        head: headOf(around),
        banner: bannerOf(door.room),
        actions: actions.markup,
        policy: false,
      });
      const { script, style } = ownSources();
      return house.text(page, { 'content-security-policy': pagePolicy({ scripts: [script], styles: [style] }) });
    },
  };
}

const SAID: Readonly<Record<string, string>> = {
  started: 'It was started, in a process of its own: it goes on when this page is closed, and when pipeline ui ends.',
  stopped: 'It was stopped: resume goes on with it.',
  killed: 'Its process was killed: resume goes on with the run.',
  idle: 'No process was at work on it.',
  resumed: 'It goes on, in a process of its own.',
  late: 'It was told to go on; it has not begun yet.',
  answered: 'The answer was taken.',
};

function stateReader(): (one: KnownRun) => string {
  /** An answer that somebody gives elsewhere is in no journal before the run goes on: where such answers come, by run. */
  const waiting = new Map<string, { readonly stamp: string; readonly files: readonly string[] }>();
  return ({ dir, status }) => {
    const { journal, runJson, step } = runDirAt(dir);
    const stamp = fileStamp(journal);
    let known = waiting.get(dir);
    if (known?.stamp !== stamp) {
      known = { stamp, files: gatesThatWait(dir).map(({ path }) => join(step(path).dir, 'answer.json')) };
      waiting.set(dir, known);
    }
    return [stamp, fileStamp(runJson), status, ...known.files.map(fileStamp)].join(' ');
  };
}
