/** What the model of the chat says: to each thing that is said to it an answer, or calls and then an answer. */

const call = (name, args) => ({ calls: [{ name, arguments: args }], usage: { input: 2_140, output: 46 } });
const words = (text, more = {}) => ({ text, usage: { input: 2_260, output: 38 }, ...more });

const INTAKE = {
  ood: true,
  reason: 'No field is named, and nothing that could be measured.',
  try_instead: 'Storing insulin without cooling in hot regions.',
  direction: 'Make the world better.',
  contribution: 'method',
  queries: { broad: 'a', method: 'b', similar_problem: 'c', way_out: 'd' },
  named_papers: [],
  venues: [],
};

/** The first whose words stand in what was said last: what the model does, in order. */
const TURNS = [
  ['good morning', [words('Good morning! What shall we look at today?')]],
  [
    'what time',
    [call('run_now_pipeline', { query: 'what time is it' }), words('It is a little after ten, on a Monday.')],
  ],
  [
    '12345 times 6789',
    [call('run_shell_command', { command: 'echo $((12345 * 6789))' }), words('12345 × 6789 = 83 810 205.')],
  ],
  [
    'ask a critic',
    [
      call('spawn_subagent', {
        task: 'Judge this title: "Twelve birds between the houses".',
        system: 'You are a critic. Two sentences at most.',
        output_file: 'out/verdict.md',
      }),
      words('The critic likes it, and would say which town. It is in out/verdict.md.'),
    ],
  ],
  [
    'idea-spark',
    [
      call('run_idea_spark_pipeline', { query: 'make the world better' }),
      words(
        'It was refused, since the topic names no field. "Storing insulin without cooling in hot regions" would do.',
      ),
    ],
  ],
  [
    'three short rules',
    [words('1. Say what it looks like from afar.\n2. Say what nothing else does.\n3. Say where to stand.')],
  ],
  [
    'whole history',
    [
      words(
        `Bird watching began as a list of what was shot. ${'Then came glasses, and with them patience. '.repeat(3)}`,
        { until: new Promise(() => undefined) },
      ),
    ],
  ],
  ['what did I ask', [words('About birds, a product of two numbers, and a title.')]],
];

/** Both for the chat, and for those that it starts. */
export function chatModel({ messages }) {
  const asked = messages.map(textOf);
  const all = asked.join('\n');
  if (all.includes('You are a critic')) return words('It is short and it is true. It does not say which town.');
  if (all.includes('Reading a research direction') || all.includes('research direction'))
    return call('resolve', INTAKE);
  if (all.includes('You sum up')) return words('They greeted, multiplied two numbers, and had a title judged.');
  const at = messages.findLastIndex(({ role }) => role === 'user');
  const done = messages.slice(at).filter(({ role }) => role === 'assistant').length;
  const turns = TURNS.find(([said]) => asked[at]?.includes(said))?.[1] ?? [words('I see.')];
  return turns[Math.min(done, turns.length - 1)];
}

function textOf({ content }) {
  if (typeof content === 'string') return content;
  return (content ?? []).map(({ text = '' }) => text).join('\n');
}
