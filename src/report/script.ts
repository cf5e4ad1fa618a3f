/** What a browser does with the page beside showing it: search, filter, unfold, go to a step, dark or light. Without it all can be read. */

/** It reads the page and never writes markup: what it sets are attributes, classes and texts of its own. */
export const SCRIPT = `
(() => {
const d = document, root = d.documentElement, $ = (id) => d.getElementById(id);
const stored = (key, value) => { try { if (value === undefined) return localStorage.getItem(key); localStorage.setItem(key, value); } catch { return null; } };
const theme = $('theme');
const themes = ['auto', 'light', 'dark'];
const paint = (name) => { if (name === 'auto') delete root.dataset.theme; else root.dataset.theme = name; theme.lastChild.textContent = name; };
if (theme) { let now = stored('pipeline-theme'); if (!themes.includes(now)) now = 'auto'; theme.hidden = false; paint(now);
  theme.addEventListener('click', () => { now = themes[(themes.indexOf(now) + 1) % 3]; paint(now); stored('pipeline-theme', now); }); }

const reveal = (node) => { for (let at = node; at; at = at.parentElement) { if (at.tagName === 'DETAILS') at.open = true; if (at.hidden) at.hidden = false; } };
const go = (how) => { const node = $(decodeURIComponent(location.hash.slice(1))); d.querySelectorAll('.here').forEach((one) => one.classList.remove('here')); if (!node) return;
  reveal(node); if (node.classList.contains('in')) { node.classList.add('here'); node.parentElement.querySelector('summary').focus({ preventScroll: true }); } node.scrollIntoView({ behavior: how }); };
addEventListener('hashchange', () => go('auto'));
d.addEventListener('click', (event) => { const link = event.target.closest && event.target.closest('a[href^="#"], a[*|href^="#"]'); if (link && (link.getAttribute('href') || '') === location.hash) { event.preventDefault(); go('auto'); } });
if (location.hash) go('instant');

let words = new WeakMap();
const textOf = (step) => { let text = words.get(step); if (text === undefined) { text = step.id.toLowerCase() + ' '; for (const part of step.children) { for (const inner of part.children) if (!inner.classList.contains('steps')) for (const one of inner.childNodes) text += one.textContent + ' '; } text = text.toLowerCase(); words.set(step, text); } return text; };
const chosen = new Set();
const steps = () => [...d.querySelectorAll('#steps details.step')];
const filter = () => { const box = $('find'); if (!box) return; const wanted = box.value.trim().toLowerCase().split(/\\s+/).filter(Boolean); const isAll = wanted.length === 0 && chosen.size === 0; let count = 0;
  const shown = new Set();
  for (const step of steps()) { const isLeaf = step.classList.contains('leaf'); const fits = (chosen.size === 0 || (isLeaf && chosen.has(step.dataset.status))) && (wanted.length === 0 || wanted.every((word) => textOf(step).includes(word)));
    if (!fits) continue; if (!isAll) count++; for (let at = step; at && at.id !== 'steps'; at = at.parentElement) if (at.tagName === 'DETAILS') shown.add(at); }
  for (const step of steps()) { step.hidden = !shown.has(step); if (!isAll && shown.has(step) && !step.classList.contains('leaf')) step.open = true; }
  for (const open of d.querySelectorAll('#steps .step.open')) open.hidden = !isAll && !chosen.has('open');
  $('found').textContent = isAll ? '' : count === 0 ? 'nothing fits' : count + ' found'; };
let timer;
d.addEventListener('input', (event) => { if (event.target.id === 'find') { clearTimeout(timer); timer = setTimeout(filter, 120); } });
d.addEventListener('click', async (event) => { const button = event.target.closest && event.target.closest('button'); if (!button) return;
  if (button.classList.contains('filter')) { const status = button.dataset.status; if (!chosen.delete(status)) chosen.add(status); button.setAttribute('aria-pressed', String(chosen.has(status))); filter(); }
  if (button.id === 'unfold') { const isOpen = button.dataset.open !== '1'; button.dataset.open = isOpen ? '1' : ''; button.textContent = isOpen ? 'Fold all' : 'Unfold all'; for (const step of steps()) if (!step.hidden) step.open = isOpen; }
  if (button.dataset.copy !== undefined) { try { await navigator.clipboard.writeText(button.dataset.copy); button.textContent = 'Copied'; } catch { getSelection().selectAllChildren(button.previousElementSibling); } } });
d.addEventListener('keydown', (event) => { if (event.ctrlKey || event.metaKey || event.altKey) return; const isTyping = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
  if (event.key === '/' && !isTyping && $('find')) { event.preventDefault(); $('find').focus(); $('steps').scrollIntoView(); }
  if (event.key === 'Escape' && event.target.id === 'find') { event.target.value = ''; filter(); }
  if ((event.key === 'ArrowDown' || event.key === 'ArrowUp') && event.target.matches && event.target.matches('.step > summary')) { const all = [...d.querySelectorAll('.step > summary')].filter((one) => one.checkVisibility ? one.checkVisibility() : one.offsetParent); const next = all[all.indexOf(event.target) + (event.key === 'ArrowDown' ? 1 : -1)]; if (next) { event.preventDefault(); next.focus(); } } });
const ready = () => { for (const node of d.querySelectorAll('.tools, .copy')) node.hidden = false; };
ready();
root.addEventListener('pipeline:changed', () => { words = new WeakMap(); ready(); if (chosen.size > 0) for (const button of d.querySelectorAll('.filter')) button.setAttribute('aria-pressed', String(chosen.has(button.dataset.status))); filter(); });

let folded = [];
addEventListener('beforeprint', () => { folded = [...d.querySelectorAll('#summary details, #files > .steps > details, #steps > .steps > details, #steps details[data-status=failed]')].filter((one) => !one.open).slice(0, 80); for (const one of folded) one.open = true; });
addEventListener('afterprint', () => { for (const one of folded) one.open = false; });
})();
`.trim();
