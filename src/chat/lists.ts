/** What the commands of a chat list: skills, tools, earlier chats. */
import { cutTo } from '../core/columns.js';
import { oneLine } from '../core/plain-text.js';
import type { Skill } from '../core/plan.js';
import type { Listed, Session } from './session.js';

const MOST_LISTED = 12;
/** Of a description. */
const MOST_COLUMNS = 72;
const LEAST_COLUMNS = 20;

/** @param listed newest first */
export function chatsText(listed: readonly Listed[]): string {
  if (listed.length === 0) return 'no chat was kept yet';
  return listed
    .slice(0, MOST_LISTED)
    .map(({ id, first }) => `${id}  ${first.slice(0, 60)}`)
    .join('\n');
}

export function keptText({ file, id }: Session): string {
  return `${file}\n  go on  pipeline chat --resume ${id}`;
}

const SPAWN = {
  name: 'spawn_subagent',
  description: 'Give a task to a sub-agent with instructions and files of its own; its answer becomes a file.',
};

/** @param columns of the terminal; undefined where nothing breaks lines */
export function skillsText(skills: readonly Skill[], columns: number | undefined): string {
  if (skills.length === 0) return 'no skills';
  const width = Math.max(...skills.map(({ name }) => name.length));
  return skills
    .map(({ name, description = '(no description: by name only)', runsAs }) => {
      const how = runsAs === 'agent' ? '' : ' [pipeline]';
      const said = firstSentence(description, columns, width + 3 + how.length);
      return `/${name.padEnd(width)}  ${said}${how}`;
    })
    .join('\n');
}

/** @param columns as in `skillsText` */
export function toolsText(
  tools: readonly { readonly name: string; readonly description: string }[],
  columns: number | undefined,
): string {
  const all = [...tools, SPAWN];
  const width = Math.max(...all.map(({ name }) => name.length));
  return all
    .map(({ name, description }) => `${name.padEnd(width)}  ${firstSentence(description, columns, width + 2)}`)
    .join('\n');
}

/** @param beside columns of the line that are taken */
function firstSentence(written: string, columns: number | undefined, beside: number): string {
  const text = oneLine(written);
  const [first = text] = /^.*?[.。](?=\s|$)/.exec(text) ?? [];
  const left = columns === undefined ? MOST_COLUMNS : Math.max(LEAST_COLUMNS, columns - 1 - beside);
  return cutTo(first, Math.min(MOST_COLUMNS, left));
}
