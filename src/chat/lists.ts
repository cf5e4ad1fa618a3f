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
      const room = roomOf(columns, width + 3 + ' [pipeline]'.length);
      if (room === undefined) return `/${name}${how}\n${below(description, columns)}`;
      return `/${name.padEnd(width)}  ${firstSentence(description, roomOf(columns, width + 3 + how.length) ?? room)}${how}`;
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
    .map(({ name, description }) => {
      const room = roomOf(columns, width + 2);
      if (room === undefined) return `${name}\n${below(description, columns)}`;
      return `${name.padEnd(width)}  ${firstSentence(description, room)}`;
    })
    .join('\n');
}

/** Columns beside a name; undefined where they are too few to say something in. */
function roomOf(columns: number | undefined, taken: number): number | undefined {
  const left = columns === undefined ? MOST_COLUMNS : columns - 1 - taken;
  return left < LEAST_COLUMNS ? undefined : left;
}

/** On a line of its own. */
function below(description: string, columns = MOST_COLUMNS): string {
  return `  ${firstSentence(description, columns - 3)}`;
}

function firstSentence(written: string, room: number): string {
  const text = oneLine(written);
  const [first = text] = /^.*?[.。](?=\s|$)/.exec(text) ?? [];
  return cutTo(first, Math.min(MOST_COLUMNS, room));
}
