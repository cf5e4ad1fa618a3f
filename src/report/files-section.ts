/** The files that the run published, each with what it holds. */
import { posix } from 'node:path';
import { counted } from '../core/words.js';
import { anchorOf, foldOf } from './anchors.js';
import { type Html, html } from './html.js';
import { markdownView, type Pictures } from './markdown.js';
import { sizeText } from './texts.js';
import type { FileView, RunView } from './view.js';

/** Beyond so many they begin folded below a line of their own. */
const MANY_FILES = 40;

export async function filesSection({ files }: RunView): Promise<Html | undefined> {
  if (files.length === 0) return undefined;
  const main = files.find(({ preview }) => preview.type === 'markdown');
  const rows = await Promise.all(files.map((file) => fileRow(file, files, file === main)));
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0);
  const [shown, more] = [rows.slice(0, MANY_FILES), rows.slice(MANY_FILES)];
  return html`<section id="files" aria-labelledby="files-h"><h2 id="files-h">Files</h2>
<p class="small">${counted(files.length, 'file')}, ${sizeText(total)}, in the folder of the run</p>
<div class="steps">${shown}${
    more.length > 0 &&
    html`<details id="fold-more-files" class="step"><summary><span class="name">${counted(more.length, 'more file')}</span></summary><div class="in">${more}</div></details>`
  }</div></section>`;
}

async function fileRow(file: FileView, files: readonly FileView[], isOpen: boolean): Promise<Html> {
  const { path, bytes, sha256, step, preview } = file;
  const anchor = anchorOf('file', path);
  const body = await previewView(file, files);
  return html`<details class="step leaf file" id="${foldOf(anchor)}"${isOpen && OPEN}><summary><span class="mark file" aria-hidden="true">${SIGNS[preview.type]}</span><span class="name">${path}</span><span class="figures">${sizeText(bytes)}</span></summary><div class="in" id="${anchor}" tabindex="-1">${body}<p class="foot"><span>from <a href="#${anchorOf('step', step)}">${step}</a></span><span><a href="${relativeLink(path)}">open the file</a></span><span>sha256 <code>${sha256.slice(0, 16)}</code></span></p></div></details>`;
}

const SIGNS: Readonly<Record<FileView['preview']['type'], string>> = {
  markdown: '¶',
  text: '≡',
  json: '{}',
  image: '▣',
  none: '·',
};

async function previewView({ path, preview }: FileView, files: readonly FileView[]): Promise<Html> {
  switch (preview.type) {
    case 'markdown':
      return html`${await markdownView(preview.text, picturesBeside(path, files))}${!preview.isWhole && CUT}`;
    case 'text':
      return html`<pre tabindex="0" role="group" aria-label="${path}">${preview.text}</pre>${!preview.isWhole && CUT}`;
    case 'json':
      return html`<pre tabindex="0" role="group" aria-label="${path}">${JSON.stringify(preview.value, null, 2)}</pre>`;
    case 'image':
      return html`<img src="data:${preview.mediaType};base64,${preview.base64}" alt="${path}">`;
    case 'none':
      return html`<p class="nil">${preview.reason}</p>`;
  }
}

const OPEN = html` open`;
const CUT = html`<p class="cut">Cut: the file holds more.</p>`;

/** From the run's folder, where the report stands. The name is encoded, so it begins no other address. */
function relativeLink(path: string): string {
  return `./${path.split('/').map(encodeURIComponent).join('/')}`;
}

/** Of a document: the pictures that the same run published, by the paths as it writes them. */
function picturesBeside(document: string, files: readonly FileView[]): Pictures {
  return {
    dataOf(address) {
      const path = posix.join(posix.dirname(document), decoded(address));
      const preview = files.find((file) => file.path === path)?.preview;
      return preview?.type === 'image' ? `data:${preview.mediaType};base64,${preview.base64}` : undefined;
    },
  };
}

function decoded(address: string): string {
  try {
    return decodeURIComponent(address);
  } catch {
    return address;
  }
}
