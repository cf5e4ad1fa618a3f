/** The page of one run: its report, kept up to date while it goes on, with what a person can do about it. */
import { createRedactor } from '../core/secrets.js';
import { ownSources, reportPage, type Section, sectionsOf, titleOf } from '../report/page.js';
import { runView } from '../report/run-view.js';
import { stateName } from './events.js';
import { bannerOf, headOf, type Shown } from './frame.js';
import { pagePolicy } from './headers.js';
import type { House } from './house.js';
import type { KnownRun } from './known-runs.js';
import { pageStates } from './page-state.js';
import { actionsOf } from './run-actions.js';

export interface RunPages {
  /** @param said what was done last */
  shown(one: KnownRun, said: string): Promise<Shown>;
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
    markup: actionsOf(one, door.formKey, said),
  });
  const state = pageStates();
  return {
    state,
    async shown(one, said) {
      const view = viewOf(one);
      return { title: titleOf(view), sections: [actionSection(one, said), ...(await sectionsOf(view))] };
    },
    async document(one, said) {
      // Taken first: what changes meanwhile is told.
      const events = { address: '.events', state: stateName(state(one)) };
      const actions = actionSection(one, said);
      const page = await reportPage(viewOf(one), {
        head: (sections) => headOf({ room: door.room, events, sections: [actions, ...sections] }),
        banner: bannerOf(door.room),
        actions: actions.markup,
        policy: false,
      });
      const { script, style } = ownSources();
      return house.text(page, { policy: pagePolicy({ scripts: [script], styles: [style] }) });
    },
  };
}
