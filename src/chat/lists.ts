/** What the commands of a chat list: skills, tools, earlier chats. */
import { oneLine } from '../core/plain-text.js';
import type { Skill } from '../core/plan.js';
import type { Listed, Session } from './session.js';

const MOST_LISTED = 12;
/** Of a description. */
const MOST_CHARACTERS = 72;

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

export function skillsText(skills: readonly Skill[]): string {
  if (skills.length === 0) return 'no skills';
  const width = Math.max(...skills.map(({ name }) => name.length));
  return skills
    .map(({ name, description = '(no description: by name only)', runsAs }) => {
      const how = runsAs === 'agent' ? '' : ' [pipeline]';
      return `/${name.padEnd(width)}  ${firstSentence(description)}${how}`;
    })
    .join('\n');
}

export function toolsText(tools: readonly { readonly name: string; readonly description: string }[]): string {
  const all = [...tools, SPAWN];
  const width = Math.max(...all.map(({ name }) => name.length));
  return all.map(({ name, description }) => `${name.padEnd(width)}  ${firstSentence(description)}`).join('\n');
}

function firstSentence(written: string): string {
  const text = oneLine(written);
  const [first = text] = /^.*?[.。](?=\s|$)/.exec(text) ?? [];
  return first.length > MOST_CHARACTERS ? `${first.slice(0, MOST_CHARACTERS - 1)}…` : first;
}
