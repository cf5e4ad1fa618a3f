/** What a terminal shows, colours as SGR sequences, as an HTML page. */
import { eastAsianWidth } from 'get-east-asian-width';

const PALETTE = ['#3b4252', '#f07178', '#a3d977', '#ffcb6b', '#82aaff', '#c792ea', '#7fdbca', '#d6deeb'];
const BRIGHT = ['#637777', '#ff8b92', '#bdeb8f', '#ffd88a', '#9fc0ff', '#d8adf5', '#9aeadb', '#ffffff'];

const ESCAPE = '\u001b';
const COLOR = new RegExp(`(${ESCAPE}\\[[\\d;]*m)`);

/** @param ansi lines with colours and nothing else that moves */
export function terminalPage(ansi, { columns, title }) {
  const lines = ansi.replace(/\s+$/, '').split('\n');
  let style = {};
  const rows = lines
    .map((line) => {
      const row = rowHtml(line, style);
      style = row.style;
      return `<div>${row.html || '&nbsp;'}</div>`;
    })
    .join('');
  return `<!doctype html><meta charset="utf-8"><style>
    body { margin: 0; background: transparent; }
    main { display: inline-block; border-radius: 10px; background: #1d2433; color: #d6deeb; overflow: hidden;
      font: 14px/1.42 'DejaVu Sans Mono', monospace; font-variant-ligatures: none; }
    header { position: relative; padding: 9px 14px; background: #161c28; color: #8b98b3; text-align: center; font-size: 12px; }
    header i { position: absolute; top: 12px; width: 10px; height: 10px; border-radius: 50%; }
    pre { margin: 0; padding: 12px 16px 14px; width: ${columns}ch; font: inherit; }
    pre div { height: 1.42em; white-space: pre; }
    .n { display: inline-block; width: 1ch; line-height: 1; }
    .w { display: inline-block; width: 2ch; text-align: center; font-family: 'Noto Sans Mono CJK SC', 'Noto Color Emoji', monospace; line-height: 1; }
  </style><main><header><i style="left:14px;background:#f07178"></i><i style="left:30px;background:#ffcb6b"></i><i
  style="left:46px;background:#a3d977"></i>${escaped(title)}</header><pre>${rows}</pre></main>`;
}

/** Colours go on from row to row. */
function rowHtml(line, before) {
  let style = before;
  let html = '';
  for (const part of line.split(COLOR)) {
    const codes = part.startsWith(ESCAPE) ? /\[([\d;]*)m$/.exec(part) : null;
    if (codes) style = styleAfter(style, codes[1]);
    else if (part !== '') html += `<span style="${cssOf(style)}">${charactersHtml(part)}</span>`;
  }
  return { html, style };
}

/** A wide character takes two columns, whatever its font says. */
function charactersHtml(text) {
  return [...new Intl.Segmenter().segment(text)]
    .map(({ segment }) => {
      const isWide = eastAsianWidth(segment.codePointAt(0)) === 2 || /\p{Emoji_Presentation}|\uFE0F/u.test(segment);
      if (isWide) return `<span class="w">${escaped(segment)}</span>`;
      // Beyond ASCII other fonts step in, with widths of their own.
      return /^[ -~━─│]$/.test(segment) ? escaped(segment) : `<span class="n">${escaped(segment)}</span>`;
    })
    .join('');
}

function styleAfter(style, text) {
  const codes = text.split(';').map(Number);
  let next = style;
  for (let at = 0; at < codes.length; at++) {
    const code = codes[at];
    if (code === 0) next = {};
    else if (code === 1) next = { ...next, bold: true };
    else if (code === 2) next = { ...next, dim: true };
    else if (code === 7) next = { ...next, reverse: true };
    else if (code === 22) next = { ...next, bold: false, dim: false };
    else if (code >= 30 && code <= 37) next = { ...next, color: PALETTE[code - 30] };
    else if (code >= 90 && code <= 97) next = { ...next, color: BRIGHT[code - 90] };
    else if (code === 39) next = { ...next, color: undefined };
  }
  return next;
}

function cssOf({ bold, dim, reverse, color }) {
  return [
    color ? `color:${color}` : '',
    bold ? 'font-weight:bold' : '',
    dim ? 'opacity:.58' : '',
    reverse ? 'background:#d6deeb;color:#1d2433' : '',
  ]
    .filter((one) => one !== '')
    .join(';');
}

function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
