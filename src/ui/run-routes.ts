/** The addresses of one run: its page, its files, what is done with it. */
import type { Context, Hono, HonoRequest } from 'hono';
import { Fault } from '../core/faults.js';
import type { Begun } from './begin.js';
import { sentForm } from './forms.js';
import { asksForNews, goTo, type House } from './house.js';
import { isHeld, type KnownRun } from './known-runs.js';
import { publishedFile } from './published.js';
import { createRunPages } from './run-page.js';
import { answerGate, resumeRun, stopSession } from './sessions.js';

export function addRunRoutes(app: Hono, house: House): void {
  const { known, door, given } = house;
  const run = `${door.room}runs/:project/:skill/:slug`;
  const pages = createRunPages(house);

  app.get(run, ({ req }) => goTo(`${new URL(req.url).pathname}/`));

  app.get(`${run}/`, async ({ req }) => {
    const one = knownRun(req);
    const said = new URL(req.url).searchParams.get('said') ?? '';
    if (asksForNews(req.raw)) return house.news(await pages.shown(one, said), req.header('x-have') ?? '');
    return pages.document(one, said);
  });

  app.get(`${run}/.events`, ({ req }) => {
    const { project, skill, slug } = placeIn(req);
    knownRun(req);
    return house.changes(() => {
      const one = known.find(project, skill, slug);
      return one ? pages.state(one) : 'gone';
    });
  });

  app.post(`${run}/.stop`, async (context) => act(context, (one) => stopSession(one, false)));
  app.post(`${run}/.kill`, async (context) => act(context, (one) => stopSession(one, true)));
  app.post(`${run}/.resume`, async (context) => act(context, async (one) => whatBegan(await resumed(one))));
  app.post(`${run}/.answer`, async (context) =>
    act(context, async (one, sent) => {
      const text = (name: string) => sent.get(name) ?? '';
      const given = {
        step: text('step'),
        question: text('question'),
        choice: text('choice'),
        comment: text('comment'),
      };
      if (!answerGate(one, given)) return 'answered';
      const begun = await resumed(one);
      // Whoever has begun meanwhile takes the answer.
      if (begun.type === 'refused' && isHeld(one.dir)) return 'answered';
      return whatBegan(begun);
    }),
  );

  app.get(`${run}/:path{.+}`, ({ req }) => publishedFile(knownRun(req).dir, req.param('path')));

  async function resumed(one: KnownRun): Promise<Begun> {
    const project = known.projects[one.project];
    if (!project) throw new Fault('input.unknown', 'There is no such project here.');
    return resumeRun(one, project, given);
  }

  /** @param perform gives the name of what is said on the page afterwards */
  async function act(
    { req }: Context,
    perform: (one: KnownRun, sent: ReadonlyMap<string, string>) => Promise<string>,
  ): Promise<Response> {
    const sent = await sentForm(req.raw, door);
    const said = await perform(knownRun(req), sent);
    return goTo(`./?said=${said}`);
  }

  function knownRun(req: HonoRequest): KnownRun {
    const { project, skill, slug } = placeIn(req);
    const one = known.find(project, skill, slug);
    if (one) return one;
    throw new Fault('input.unknown', `There is no run "${skill}/${slug}" here.`, { hint: 'It may have been removed.' });
  }
}

function whatBegan(begun: Begun): 'late' | 'resumed' {
  if (begun.type === 'refused') throw new Fault('input.invalid', begun.messages.join(' '));
  return begun.type === 'late' ? 'late' : 'resumed';
}

interface Place {
  readonly project: string;
  readonly skill: string;
  readonly slug: string;
}

function placeIn(req: HonoRequest): Place {
  const text = (name: string): string => req.param(name) ?? '';
  return { project: text('project'), skill: text('skill'), slug: text('slug') };
}
