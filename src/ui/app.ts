/** All addresses in one place: each request passes the door, each answer has its headers. */
import type { Hono } from 'hono';
import { Fault } from '../core/faults.js';
import { SCRIPT } from '../report/script.js';
import { STYLE } from '../report/style.js';
import { CLIENT } from './client.js';
import { enteringPage } from './entrance.js';
import { withHeaders } from './headers.js';
import type { House } from './house.js';
import { addListRoutes } from './list-routes.js';
import { LOOK } from './look.js';
import { addRunRoutes } from './run-routes.js';
import { addStartRoutes } from './start-routes.js';

export async function createApp(house: House): Promise<Hono> {
  const { Hono: Router } = await import('hono');
  const { door } = house;
  const app = new Router();

  app.use(async (context, next) => {
    const { req } = context;
    const url = new URL(req.url);
    const judged = door.judge({
      method: req.method,
      path: url.pathname,
      token: url.searchParams.get('token') ?? undefined,
      host: req.header('host'),
      addressed: url.host,
      origin: req.header('origin'),
      site: req.header('sec-fetch-site'),
      cookies: req.header('cookie'),
    });
    switch (judged.type) {
      case 'refused': {
        const headers = { 'content-type': 'text/plain; charset=utf-8' };
        return withHeaders(new Response(`${judged.why}\n`, { status: judged.status, headers }));
      }
      case 'enter':
        return withHeaders(enteringPage(judged));
      case 'in':
        await next();
        context.res = withHeaders(req.method === 'HEAD' ? await withoutBody(context.res) : context.res);
        return undefined;
    }
  });

  app.get(`${door.room}report.css`, () => asset(STYLE, 'text/css'));
  app.get(`${door.room}report.js`, () => asset(SCRIPT, 'text/javascript'));
  app.get(`${door.room}ui.css`, () => asset(LOOK, 'text/css'));
  app.get(`${door.room}ui.js`, () => asset(CLIENT, 'text/javascript'));
  addListRoutes(app, house);
  addStartRoutes(app, house);
  addRunRoutes(app, house);

  app.notFound(() => house.fault(new Fault('input.unknown', 'There is no such page.')));
  app.onError((error) => house.fault(error));
  return app;
}

/** What is not sent would stay open. */
async function withoutBody(response: Response): Promise<Response> {
  await response.body?.cancel();
  return new Response(null, response);
}

function asset(text: string, type: string): Response {
  return new Response(text, { headers: { 'content-type': `${type}; charset=utf-8` } });
}
