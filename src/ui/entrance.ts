/** The page that takes the token: it leaves a cookie, and goes on to where no address holds a token. */
import { html, textOf } from '../report/html.js';

/**
 * Not a redirect: a browser that came here from another page, a terminal on the web for instance, would not send a strict cookie on the way.
 * What this page itself goes on to is asked for by us.
 */
export function enteringPage({ cookie, to }: { readonly cookie: string; readonly to: string }): Response {
  const page = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>pipeline</title><link rel="icon" href="data:,"><meta http-equiv="refresh" content="0;url=${to}"></head>
<body><main><h1>pipeline</h1><p><a href="${to}">To the runs</a></p></main></body></html>`;
  const headers = { 'content-type': 'text/html; charset=utf-8', 'set-cookie': cookie };
  return new Response(textOf(page), { headers });
}
