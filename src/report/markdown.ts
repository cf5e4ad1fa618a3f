/** Markdown as markup: each token is written by our templates, so nothing of it can be more than text, a link or a picture of the run. */
import type MarkdownIt from 'markdown-it';
import { type Html, html } from './html.js';

type Token = ReturnType<InstanceType<typeof MarkdownIt>['parse']>[number];

export interface Pictures {
  /** A `data:` address of a picture that the run published; undefined if it has none of this name. */
  dataOf(path: string): string | undefined;
}

/** Levels of headings begin below those of the page. */
const FIRST_LEVEL = 3;

export async function markdownView(text: string, pictures: Pictures): Promise<Html> {
  const { default: Parser } = await import('markdown-it');
  const parser = new Parser({ html: false, linkify: false });
  return html`<div class="md">${blocks(parser.parse(text, {}), pictures)}</div>`;
}

/** What stands between a token that opens and the one that closes it. */
interface Frame {
  readonly open: Token | undefined;
  readonly inner: Html[];
}

function blocks(tokens: readonly Token[], pictures: Pictures): Html[] {
  const outline = { last: FIRST_LEVEL - 1 };
  const frames: Frame[] = [{ open: undefined, inner: [] }];
  const put = (markup: Html) => frames.at(-1)?.inner.push(markup);
  for (const token of tokens) {
    if (token.nesting === 1) {
      frames.push({ open: token, inner: [] });
      continue;
    }
    if (token.nesting === -1) {
      const { open, inner } = frames.pop() ?? { open: undefined, inner: [] };
      if (open) put(element(open, inner, outline));
      continue;
    }
    put(token.type === 'inline' ? html`${blocks(token.children ?? [], pictures)}` : leaf(token, pictures));
  }
  // An element that nothing closes is shown as what is in it.
  return frames.flatMap(({ inner }) => inner);
}

function element(open: Token, inner: readonly Html[], outline: { last: number }): Html {
  switch (open.tag) {
    case 'h1':
    case 'h2':
    case 'h3':
    case 'h4':
    case 'h5':
    case 'h6':
      return heading(Number(open.tag.slice(1)), inner, outline);
    case 'p':
      return open.hidden ? html`${inner}` : html`<p>${inner}</p>`;
    case 'a':
      return link(open, inner);
    case 'ul':
      return html`<ul>${inner}</ul>`;
    case 'ol':
      return html`<ol start="${open.attrGet('start') ?? '1'}">${inner}</ol>`;
    case 'li':
      return html`<li>${inner}</li>`;
    case 'blockquote':
      return html`<blockquote>${inner}</blockquote>`;
    case 'em':
      return html`<em>${inner}</em>`;
    case 'strong':
      return html`<strong>${inner}</strong>`;
    case 's':
      return html`<s>${inner}</s>`;
    case 'table':
      return html`<div class="wide" tabindex="0" role="group" aria-label="table"><table>${inner}</table></div>`;
    case 'thead':
      return html`<thead>${inner}</thead>`;
    case 'tbody':
      return html`<tbody>${inner}</tbody>`;
    case 'tr':
      return html`<tr>${inner}</tr>`;
    case 'th':
      return inner.length === 0 ? html`<td></td>` : html`<th scope="col">${inner}</th>`;
    case 'td':
      return html`<td>${inner}</td>`;
    default:
      return html`${inner}`;
  }
}

/** One level deeper than the one before at most, so that those who read by headings lose nothing. */
function heading(level: number, inner: readonly Html[], outline: { last: number }): Html {
  const own = Math.min(level + FIRST_LEVEL - 1, outline.last + 1, 6);
  outline.last = own;
  const look = `h${level}`;
  if (own === 3) return html`<h3 class="${look}">${inner}</h3>`;
  if (own === 4) return html`<h4 class="${look}">${inner}</h4>`;
  if (own === 5) return html`<h5 class="${look}">${inner}</h5>`;
  return html`<h6 class="${look}">${inner}</h6>`;
}

function leaf(token: Token, pictures: Pictures): Html {
  switch (token.type) {
    case 'softbreak':
      return html`\n`;
    case 'hardbreak':
      return html`<br>`;
    case 'hr':
      return html`<hr>`;
    case 'code_inline':
      return html`<code>${token.content}</code>`;
    case 'code_block':
    case 'fence':
      return html`<pre tabindex="0" role="group" aria-label="code">${token.content}</pre>`;
    case 'image':
      return picture(token, pictures);
    default:
      return html`${token.content}`;
  }
}

/** Only to where a browser runs nothing. */
const MAY_BE_LINKED = /^(https?:\/\/|mailto:)/i;

function link(open: Token, inner: readonly Html[]): Html {
  const address = String(open.attrGet('href') ?? '');
  if (!MAY_BE_LINKED.test(address)) return html`${inner} <code>${address}</code>`;
  return html`<a href="${address}" rel="noopener noreferrer nofollow">${inner}</a>`;
}

function picture(token: Token, pictures: Pictures): Html {
  const address = String(token.attrGet('src') ?? '');
  const data = pictures.dataOf(address);
  if (data === undefined)
    return html`<span class="nil">picture not shown: ${token.content} <code>${address}</code></span>`;
  return html`<img src="${data}" alt="${token.content}">`;
}
