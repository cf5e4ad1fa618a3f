import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { textOf } from '../../src/report/html.js';
import { markdownView } from '../../src/report/markdown.js';
import { HOSTILE } from './runs.js';

const NONE = { dataOf: () => undefined };
const shown = async (text: string, pictures: Parameters<typeof markdownView>[1] = NONE) =>
  textOf(await markdownView(text, pictures));

describe('Markdown', () => {
  it('is written by our own templates: headings below those of the page, lists, tables, code', async () => {
    const text =
      '# One\n\n### Three\n\n- a *b*\n- `c`\n\n1. x\n\n| h | i |\n|---|---|\n| 1 | 2 |\n\n> q\n\n    code <b>\n';
    expect(await shown(text)).toBe(
      '<div class="md"><h3 class="h1">One</h3><h4 class="h3">Three</h4><ul><li>a <em>b</em></li><li><code>c</code></li></ul>' +
        '<ol start="1"><li>x</li></ol><div class="wide" tabindex="0" role="group" aria-label="table"><table><thead><tr><th scope="col">h</th><th scope="col">i</th></tr></thead>' +
        '<tbody><tr><td>1</td><td>2</td></tr></tbody></table></div><blockquote><p>q</p></blockquote>' +
        '<pre tabindex="0" role="group" aria-label="code">code &lt;b&gt;\n</pre></div>',
    );
  });

  it('links to http, https and mailto alone; any other address is text', async () => {
    const page = await shown(
      '[a](https://example.org/x) [b](mailto:a@b.c) [c](javascript:alert(1)) [d](data:text/html,x) [e](vbscript:x) [f](file:///etc/passwd) [g](//h/i) [j](k.md)',
    );
    expect([...page.matchAll(/href="([^"]*)"/g)].map(([, address]) => address)).toEqual([
      'https://example.org/x',
      'mailto:a@b.c',
    ]);
    expect(page).toContain('rel="noopener noreferrer nofollow"');
    expect(page).toContain('g <code>//h/i</code>');
  });

  it('shows pictures that the run published, and names all others without loading them', async () => {
    const pictures = { dataOf: (path: string) => (path === 'img/a.png' ? 'data:image/png;base64,AA==' : undefined) };
    const page = await shown(
      '![own](img/a.png) ![far](https://example.org/t.png) ![data](data:image/png;base64,BB==)',
      pictures,
    );
    expect([...page.matchAll(/src="([^"]*)"/g)].map(([, address]) => address)).toEqual(['data:image/png;base64,AA==']);
    expect(page).toContain('picture not shown: far <code>https://example.org/t.png</code>');
  });

  it('lets nothing through that is not of a few elements with a few attributes, whatever is written', async () => {
    const parts = fc.constantFrom(
      HOSTILE,
      '<b onclick=x>',
      '](',
      '[x',
      '![',
      '```',
      '\n\n',
      '# ',
      '- ',
      '> ',
      '|',
      '&lt;',
      '<!--',
      '"',
      '\\',
      '    ',
      '<https://a.b/"onx>',
      '*',
      '~~',
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(parts, fc.string()), { maxLength: 12 }), async (written) => {
        const page = await shown(written.join(''));
        for (const [tag] of page.matchAll(/<[^>]*>?/g))
          expect(tag).toMatch(
            /^<(\/?(div|h3|h4|h5|h6|p|ul|ol|li|em|strong|s|code|pre|blockquote|hr|br|table|thead|tbody|tr|th|td|span|a)( (class|start|tabindex|role|aria-label|scope|rel)="[^"<>]*"| href="(https?:\/\/|mailto:)[^"<>]*")*)>$/i,
          );
      }),
      { numRuns: 60 },
    );
  });
});
