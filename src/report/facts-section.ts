/** What the run was: its inputs, replaced values, versions, hashes, sessions. */
import { timeText } from '../core/words.js';
import { type Html, html } from './html.js';
import { jsonTree } from './json-tree.js';
import type { RunView } from './view.js';

export function factsSection({ facts, run, name, notices }: RunView): Html {
  const { inputs, inputFiles, overrides, fork, file, version, node, sessions, dir } = facts;
  const hashes = Object.entries(inputFiles);
  const replaced = Object.entries(overrides);
  const rows: readonly (readonly [string, Html | false])[] = [
    ['Inputs', Object.keys(inputs).length > 0 && jsonTree(inputs, 'fold-inputs')],
    [
      'Input files',
      hashes.length > 0 &&
        html`<ul class="plain">${hashes.map(([path, hash]) => html`<li>${path} <code>${hash}</code></li>`)}</ul>`,
    ],
    [
      'Set for this run',
      replaced.length > 0 &&
        html`<ul class="plain">${replaced.map(([path, value]) => html`<li><code>${path}</code> = <code>${value}</code></li>`)}</ul>`,
    ],
    [
      'Forked from',
      fork !== undefined &&
        html`run <code>${fork.run}</code>${fork.from !== undefined && html`, step <code>${fork.from}</code> and what follows anew`}`,
    ],
    ['Pipeline', html`<code>${file}</code>`],
    ['Run', html`<code>${name}</code> <code>${run}</code>`],
    ['Folder', html`<code>${dir}</code>`],
    ['Versions', html`pipeline ${version}${node !== '' && html`, Node ${node}`}`],
    ['Sessions', html`<ol class="plain">${sessions.map((at) => html`<li>${timeText(at)}</li>`)}</ol>`],
    ['Notices', notices.length > 0 && html`<ul class="plain">${notices.map((text) => html`<li>${text}</li>`)}</ul>`],
  ];
  return html`<section id="facts" aria-labelledby="facts-h"><h2 id="facts-h">Inputs and versions</h2><dl>${rows.flatMap(
    ([label, value]) => (value === false ? [] : [html`<div><dt>${label}</dt><dd>${value}</dd></div>`]),
  )}</dl></section>`;
}
