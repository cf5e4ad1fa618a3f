import { describe, expect, it } from 'vitest';
import { html } from '../../src/report/html.js';
import { framed, newsOf } from '../../src/ui/frame.js';

const sectionsOf = (...texts: readonly string[]) =>
  texts.map((text, at) => ({ id: `s${at}`, title: `S ${at}`, markup: html`<p id="s${at}">${text}</p>` }));
const around = {
  room: '/r/',
  title: '<b>&"',
  events: { address: '.events', state: 'x' },
  sections: sectionsOf('one', 'two'),
};
const haveOf = (page: string) => /name="ui-sections" content="([^"]*)"/.exec(page)?.[1] ?? '';

describe('what a page lacks', () => {
  it('is nothing right after it was given', () => {
    const have = haveOf(framed(around, 'p', html``));
    expect(newsOf(around, have)).toMatchObject({ title: '<b>&"', order: ['s0', 's1'], changed: [] });
  });

  it('is the sections that differ, are new, or have another place', () => {
    const have = haveOf(framed(around, 'p', html``));
    const changed = newsOf({ ...around, sections: sectionsOf('one', 'other', 'three') }, have);
    expect(changed).toMatchObject({
      order: ['s0', 's1', 's2'],
      titles: { s2: 'S 2' },
      changed: [
        { id: 's1', html: '<p id="s1">other</p>' },
        { id: 's2', html: '<p id="s2">three</p>' },
      ],
    });
    expect(newsOf({ ...around, sections: sectionsOf('one') }, have)).toMatchObject({ order: ['s0'], changed: [] });
  });

  it('is all of it where nothing is known of what it has', () => {
    for (const have of ['', 'nonsense', 's0=x,,=']) {
      expect(newsOf(around, have)).toMatchObject({ changed: [{ id: 's0' }, { id: 's1' }] });
    }
  });

  it('stands in a page whose texts are texts', () => {
    const page = framed(around, '<i>', html`<main>${'<x>'}</main>`);
    expect(page).toContain('<title>&lt;b&gt;&amp;&quot; · pipeline</title>');
    expect(page).not.toMatch(/<i>|<x>/);
  });
});
