/** The site of these pages: the files as a code host shows them, in one folder with what they link to. */
import { copyFileSync, existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Three steps, one after another; inline, so that nothing else is asked for. */
const ICON = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16" fill="#4f6bd8"><path d="M2 7.2h12v1.6H2z"/><circle cx="3" cy="8" r="3"/><circle cx="8" cy="8" r="3"/><circle cx="13" cy="8" r="3"/></svg>',
)}`;

/** Headings are named as code hosts name them, so that a link to one works in both places. */
const slugify = (heading) =>
  heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');

/** Files that are no pages and that pages link to, by the address that they have here. */
const linked = new Map();

/** @param page where the link stands, from the root */
function noteFile(href, page) {
  const [path] = href.split('#');
  const file = join(dirname(page), path);
  if (/\.(md|html|png|svg)$/.test(path) || file.startsWith('..')) return href;
  const address = /\.\w+$/.test(file) ? file : `${file}.txt`;
  linked.set(address, file);
  return `/${address}`;
}

/** Links of the first page begin where its file lies, and files that are no pages are brought along. */
function leadLinks(md) {
  md.core.ruler.push('lead_links', ({ tokens, env }) => {
    const page = env.relativePath === 'index.md' ? 'docs/index.md' : env.relativePath;
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      const href = token.type === 'link_open' ? token.attrGet('href') : null;
      if (href === null || /^([a-z]+:|[#/])/.test(href)) continue;
      const led = noteFile(href, page);
      token.attrSet('href', led === href && env.relativePath === 'index.md' ? `./docs/${href}` : led);
      if (led !== href) token.attrSet('target', '_blank');
    }
  });
}

/** The file that a block is, or that it changes, stands above it. */
function nameFiles(md) {
  const fence = md.renderer.rules.fence;
  md.renderer.rules.fence = (tokens, at, ...rest) => {
    const [, file] = /^\w+ ([\w./-]+)$/.exec(tokens[at].info.trim()) ?? [];
    const block = fence(tokens, at, ...rest);
    return file === undefined ? block : `<p class="file"><code v-pre>${md.utils.escapeHtml(file)}</code></p>${block}`;
  };
}

/** Pages are text here, not templates: what looks like a tag or an expression is shown as it stands, but for line breaks. */
function keepText(md) {
  const { escapeHtml } = md.utils;
  const shown = (text) => escapeHtml(text).replace(/\{\{/g, '&#123;&#123;');
  md.renderer.rules.text = (tokens, at) => shown(tokens[at].content);
  md.renderer.rules.code_inline = (tokens, at) => {
    const { content } = tokens[at];
    const whole = content.length < 24 && !content.includes(' ') ? ' class="whole"' : '';
    return `<code v-pre${whole}>${escapeHtml(content)}</code>`;
  };
  md.renderer.rules.html_inline = (tokens, at) => {
    const { content, meta } = tokens[at];
    if (meta?.isPermalinkSymbol) return content;
    return /^<br *\/?>$/.test(content) ? '<br>' : shown(content);
  };
}

const page = (text, link) => ({ text, link: `/docs/${link}` });

const HOW_TO = [
  page('Run any public skill as it is', 'how-to/public-skills'),
  page('Write a skill from nothing', 'how-to/own-skill'),
  page('Use a model on your machine', 'how-to/local-models'),
  page('Test in CI, without tokens', 'how-to/ci'),
  page('Stay safe', 'how-to/stay-safe'),
];

const REFERENCE = [
  page('pipeline.yaml', 'language'),
  page('Tests', 'testing'),
  page('Simulation', 'simulate'),
  page('Explain, fork, diff', 'explain'),
  page('The browser', 'ui'),
  page('For machines', 'machine'),
  page('Providers', 'providers'),
  page('Chat', 'chat'),
  page('Skills from elsewhere', 'skills'),
  page('Safety', 'safety'),
  page('The library', 'library'),
  { text: 'For authors of skills', link: '/skills/AGENTS' },
  page('How it is built', 'architecture'),
].filter(({ link }) => existsSync(join(ROOT, `${link}.md`)));

export default {
  title: 'pipeline',
  description:
    'Runs skills as pipelines: checked before they cost anything, resumable, explainable, testable without tokens.',
  srcDir: '..',
  srcExclude: [
    '**/node_modules/**',
    '{bench,dist,prove,schemas,scripts,skill_run,src,test}/**',
    'skills/*/**',
    'AGENTS.md',
    'docs/api/**',
  ],
  rewrites: { 'docs/index.md': 'index.md' },
  head: [['link', { rel: 'icon', href: ICON }]],
  markdown: {
    anchor: { slugify },
    theme: { light: 'github-light', dark: 'github-dark' },
    config(md) {
      keepText(md);
      leadLinks(md);
      nameFiles(md);
    },
  },
  themeConfig: {
    nav: [
      page('Tutorial', 'tutorial'),
      { text: 'How to', items: HOW_TO },
      { text: 'Reference', items: REFERENCE },
      page('FAQ', 'faq'),
    ],
    sidebar: [
      { text: 'Begin', items: [{ text: 'What it is', link: '/README' }, page('Ten-minute tutorial', 'tutorial')] },
      { text: 'How to', items: HOW_TO },
      { text: 'Reference', items: REFERENCE },
      {
        text: 'Help',
        items: [
          page('FAQ', 'faq'),
          page('Coming from another agent', 'coming-from'),
          page('Errors', 'errors'),
          { text: 'Changes', link: '/CHANGELOG' },
          { text: '中文', link: '/README.zh' },
        ],
      },
    ],
    outline: [2, 3],
    search: { provider: 'local' },
    docFooter: { prev: 'Before', next: 'Next' },
  },
  buildEnd({ outDir }) {
    for (const [address, file] of linked) {
      mkdirSync(dirname(join(outDir, address)), { recursive: true });
      copyFileSync(join(ROOT, file), join(outDir, address));
    }
  },
};
