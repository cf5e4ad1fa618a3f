/** What reaches the search when it is run as a pipeline. */
import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { project } from '../support/project.js';
import { CROSSREF, OPENALEX } from './paper-search-answers.js';
import { json, serve } from './paper-search-servers.js';

it('asks the servers that the environment names, with its address, and keeps answers where it says', async () => {
  const servers = await serve({ openalex: json(OPENALEX), crossref: json(CROSSREF) });
  const ran = await project({}).run({
    target: 'paper-search',
    query: 'sparse attention transformer',
    inputs: { sources: 'openalex,crossref' },
    env: { PATH: process.env.PATH, HOME: '/nowhere', PAPER_SEARCH_MAILTO: 'me@example.org', ...servers.env },
  });
  expect(ran.status).toBe('done');
  expect(JSON.parse(ran.file('hits.json')).sources).toMatchObject([
    { name: 'openalex', status: 'ok', count: 2 },
    { name: 'crossref', status: 'ok', count: 2 },
  ]);
  for (const source of ['openalex', 'crossref'] as const) {
    expect(servers.asked[source].map(({ searchParams }) => searchParams.get('mailto'))).toEqual(['me@example.org']);
  }
  expect(existsSync(servers.cache)).toBe(true);
});
