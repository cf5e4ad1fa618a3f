import { expect, it } from 'vitest';
import { COMMANDS, helpText, readTyped } from '../../src/chat/commands.js';

const SKILLS = ['idea-spark', 'now', 'help'];

it.each([
  ['', { type: 'nothing' }],
  ['  hello  ', { type: 'message', text: 'hello' }],
  ['/etc/hosts holds what?', { type: 'message', text: '/etc/hosts holds what?' }],
  ['/ what', { type: 'message', text: '/ what' }],
  ['/help', { type: 'command', name: 'help', args: '' }],
  ['/HELP', { type: 'command', name: 'help', args: '' }],
  ['/quit', { type: 'command', name: 'exit', args: '' }],
  ['/plan a\nb', { type: 'command', name: 'plan', args: 'a\nb' }],
  ['/idea-spark on  trees', { type: 'skill', name: 'idea-spark', args: 'on  trees' }],
  ['/idea_spark', { type: 'skill', name: 'idea-spark', args: '' }],
  ['/toolz', { type: 'unknown', name: 'toolz', near: 'tools' }],
  ['/constructor', { type: 'unknown', name: 'constructor', near: undefined }],
])('reads %j', (line, typed) => {
  expect(readTyped(line, SKILLS)).toEqual(typed);
});

it('says in its help what each command does', () => {
  for (const name of Object.keys(COMMANDS)) expect(helpText()).toMatch(new RegExp(`/${name}\\b.* {2,}\\S`));
});
