import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Provider } from '../../src/core/model.js';
import { sketchProvider } from '../../src/providers/sketch.js';
import { room } from '../support/chat-room.js';
import { calling, type Turn, voice } from '../support/voice.js';

/** The chat hears a written model, the pipelines that it starts the sketch. */
function talking(turns: readonly Turn[]) {
  const chat = voice(turns);
  const sketch = sketchProvider();
  const provider: Provider = {
    name: 'voice',
    placeholder: true,
    complete: (request, options) =>
      request.system.startsWith('You talk with a person')
        ? chat.complete(request, options)
        : sketch.complete(request, options),
  };
  const place = room(provider, { sandbox: 'off' });
  const lastResult = () => chat.requests.at(-1)?.messages.findLast((one) => one.role === 'tool')?.text ?? '';
  return { ...place, requests: chat.requests, lastResult };
}

describe('what can be tried', () => {
  it('a greeting leads to the skill hello', async () => {
    const { say, lastResult } = talking([
      calling(['skill_view', { name: 'hello' }]),
      { text: 'Hello! How can I help?' },
    ]);
    expect(await say('good morning')).toContain('Hello! How can I help?');
    expect(lastResult()).toContain('Answer a greeting with a greeting.');
  });

  it('"what time is it" leads to the skill now, which asks a clock', async () => {
    const { say, lastResult } = talking([
      calling(['skills_list', {}]),
      calling(['run_now_pipeline', { query: 'what time is it' }]),
      { text: 'Late.' },
    ]);
    await say('what time is it?');
    expect(lastResult()).toMatch(/result:\n\d\d:\d\d:\d\d on [A-Z][a-z]+day, \d{4}-\d\d-\d\d/);
  });

  it('"system health" leads to the skill system-health', async () => {
    const { say, lastResult } = talking([calling(['run_system_health_pipeline', { query: '' }]), { text: 'Fine.' }]);
    await say('system health');
    expect(lastResult()).toMatch(/^done\nrun folder: skill_run\/system-health\//);
  });

  it.each([
    ['what is 12345 times 6789?', 'echo $((12345 * 6789))', /83810205/],
    ['how much memory is left?', 'grep -c . /proc/meminfo || vm_stat', /exit code 0\nstdout:\n\d+/],
    ['list the files here', 'ls', /stdout:\nlogs\.txt\n/],
  ])('"%s" leads to a command', async (asked, command, printed) => {
    const place = talking([calling(['run_shell_command', { command }]), { text: 'There.' }]);
    place.write('logs.txt', '');
    await place.say(asked);
    expect(place.lastResult()).toMatch(printed);
  });

  it('"what is ReAct" is answered without a tool', async () => {
    const { say, requests } = talking([{ text: 'Reason, act, observe.' }]);
    expect(await say('what is ReAct?')).toBe('answer: Reason, act, observe.');
    expect(requests).toHaveLength(1);
  });

  it('/skills names the bundled skills', async () => {
    const listed = await talking([]).say('/skills');
    for (const name of ['hello', 'now', 'system-health', 'paper-search', 'idea-spark'])
      expect(listed).toContain(`/${name}`);
  });

  it('/idea-spark <topic> runs the pipeline to its three cards', async () => {
    const topic = 'sparse attention for long documents';
    const place = talking([calling(['run_idea_spark_pipeline', { query: topic }]), { text: 'Three cards.' }]);
    await place.say(`/idea-spark ${topic}`);
    expect(place.requests[0]?.messages[0]?.text).toContain('ask nothing before the end');
    expect(place.lastResult()).toMatch(/^done[\s\S]*- phase4\/idea\.en\.md\n- phase4\/idea\.zh\.md/);
    expect(readdirSync(join(place.dir, 'skill_run/idea-spark'))).toContain('sparse-attention-for-long-documents');
  });
});
