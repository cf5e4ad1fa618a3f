import { describe, expect, it } from 'vitest';
import { cutOld, cutToFit, summaryMessage, summaryRequest } from '../../src/chat/compact.js';
import { openHistory } from '../../src/chat/history.js';
import type { Session } from '../../src/chat/session.js';
import { expanded, pipelineToolName, skillIn, skillText } from '../../src/chat/skill-text.js';
import { Fault } from '../../src/core/faults.js';
import type { Message } from '../../src/core/model.js';
import type { Skill } from '../../src/core/plan.js';
import { NO_USAGE } from '../../src/core/usage.js';
import { chosen, voice } from '../support/voice.js';

const user = (text: string): Message => ({ role: 'user', text });
const said = (text: string): Message => ({ role: 'assistant', text, calls: [] });
const calls = (id: string, name = 'look'): Message => ({
  role: 'assistant',
  text: '',
  calls: [{ id, name, arguments: '{"path":"a"}' }],
});
const result = (callId: string, text: string, name = 'look'): Message => ({
  role: 'tool',
  callId,
  name,
  text,
  error: false,
});
const skill = (more: Partial<Skill> = {}): Skill => ({
  name: 'my-essay',
  dir: '/s',
  body: 'Three sentences.',
  metadata: {},
  runsAs: 'agent',
  ...more,
});
const LONG = [user('q1'), said('a1'), user('q2'), said('a2'), user('q3'), said('a3')];

describe('old turns', () => {
  it('give way before the last two rounds, and never between a call and its result', () => {
    expect(cutOld(LONG)).toEqual({ old: LONG.slice(0, 2), kept: LONG.slice(2) });
    const one = [user('q'), calls('1'), result('1', 'x'), calls('2'), result('2', 'y'), calls('3'), result('3', 'z')];
    expect(cutOld(one)?.kept).toEqual(one.slice(3));
    expect(cutOld(LONG.slice(0, 4))).toBeUndefined();
    expect(cutOld([])).toBeUndefined();
  });

  it('take the last rounds with them where those are most of it', () => {
    const huge = [user('read it'), calls('1'), result('1', 'x'.repeat(60_000)), user('go on')];
    expect(cutOld(huge)).toBeUndefined();
    expect(cutToFit(huge)).toEqual({ old: huge.slice(0, 3), kept: huge.slice(3) });
    const working = summaryMessage(cutToFit(huge.slice(0, 3)) ?? { old: [], kept: [] }, 'S');
    expect(working.text).toContain('asked for last, word for word:\nread it');
    expect(cutToFit(LONG)).toEqual(cutOld(LONG, 1));
    expect(cutToFit([user('q')])).toBeUndefined();
  });

  it('are told to the model that sums them up without long results', () => {
    const [message] = summaryRequest({
      old: [user('q'), calls('1'), result('1', 'x'.repeat(9_000))],
      kept: [],
    }).messages;
    expect(message?.text).toContain('Person: q\n\nYou called look {"path":"a"}\n\nlook gave: xxx');
    expect(message?.text).toContain('[7000 more characters]');
  });

  it('leave their skills word for word, and the request that is being worked on', () => {
    const text = skillText(skill(), '');
    const old = [
      user(`Do it.\n\n${text}`),
      calls('1', 'skill_view'),
      result('1', `x\n${skillText(skill({ name: 'b' }), '')}`, 'skill_view'),
    ];
    const cut = { old: [...old, user('write about trees')], kept: [calls('2'), result('2', 'y')] };
    const summary = summaryMessage(cut, ' S ');
    expect(summary.text).toBe(
      [
        'The conversation so far, summed up to save room:\nS',
        'What the person asked for last, word for word:\nwrite about trees',
        text,
        skillText(skill({ name: 'b' }), ''),
      ].join('\n\n'),
    );
    // Summed up once more, the skills are still there.
    const again = summaryMessage({ old: [summary], kept: [user('next')] }, 'T');
    expect(again.text).toContain('Three sentences.');
    expect(summaryRequest({ old, kept: [] }).messages[0]?.text).not.toContain('Three sentences.');
  });

  it('take no skill from what a file or a command says', () => {
    expect(skillIn(result('1', skillText(skill(), ''), 'read_file'))).toBeUndefined();
  });
});

describe('a history', () => {
  function history(messages: readonly Message[]) {
    const lines: Parameters<Session['write']>[0][] = [];
    const session = { write: (line) => void lines.push(line), messages, usage: NO_USAGE } as Session;
    let asked = 0;
    const made = openHistory({
      session,
      messages,
      head: () => ({ system: 's', tools: [] }),
      summarise: async () => {
        asked++;
        return 'S';
      },
      note: () => undefined,
    });
    return { made, lines, asked: () => asked };
  }
  const model = (contextTokens?: number) => chosen(voice([]), contextTokens === undefined ? {} : { contextTokens });

  it('is summed up when it comes near the end of what its model takes, and not before', async () => {
    const { made, lines, asked } = history([user('x'.repeat(4_000)), ...LONG.slice(1)]);
    await made.makeRoom(model(100_000));
    expect(asked()).toBe(0);
    await made.makeRoom(model(1_150));
    expect(asked()).toBe(1);
    expect(made.messages()[0]?.text).toContain('summed up to save room:\nS');
    expect(lines.at(-1)).toMatchObject({ type: 'compacted', kept: 4 });
    await made.makeRoom(model(1_150));
    expect(asked()).toBe(1);
  });

  it('believes what a server told of its length, if that is more', async () => {
    const { made, asked } = history(LONG);
    made.add([said('short')], { inputTokens: 9_000, outputTokens: 100, cachedTokens: 0 });
    await made.makeRoom(model(10_000));
    expect(asked()).toBe(1);
  });

  it('is summed up after a refusal for its length, and for no other', async () => {
    const { made } = history(LONG);
    expect(await made.makesRoomAfter(new Fault('provider.refused', 'bad key'))).toBe(false);
    expect(await made.makesRoomAfter(new Fault('provider.refused', 'maximum context length is 8192'))).toBe(true);
  });
});

describe('/<skill>', () => {
  it('is the text of a short skill, or the word to look it up; its front matter decides', () => {
    expect(expanded(skill(), 'trees', '')).toContain('<skill name="my-essay">\nThree sentences.\n</skill>');
    expect(expanded(skill({ body: 'x'.repeat(5_000) }), 'trees', '')).toBe(
      'Use the skill "my-essay".\nRead it with skill_view(name: "my-essay") and follow it.\nWhat is asked: trees',
    );
    expect(expanded(skill({ metadata: { expand: 'reference' } }), '', '')).toContain('skill_view');
    const long = skill({ body: 'x'.repeat(5_000), metadata: { expand: 'inline' } });
    expect(expanded(long, '', '')).toContain('xxxx');
  });

  it('names the tool of a skill that is a pipeline', () => {
    const text = expanded(skill({ runsAs: 'pipeline', metadata: { contract: 'no-questions' } }), 'trees', '');
    expect(text).toContain('call run_my_essay_pipeline with the query');
    expect(text).toContain('ask nothing before the end');
    expect(pipelineToolName('idea-spark')).toBe('run_idea_spark_pipeline');
  });
});
