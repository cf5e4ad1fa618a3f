/** What the model of the demo skill says: twelve birds, an entry for each, one remark of the critic. */

const BIRDS = [
  ['Robin', 14, 'garden', 'It sings beside every bench, all year.'],
  ['Common swift', 17, 'roof', 'It screams over the roofs from May to July.'],
  ['Grey heron', 94, 'river', 'It stands in shallow water for an hour.'],
  ['Great tit', 14, 'garden', 'It comes to every feeder.'],
  ['Blackbird', 25, 'park', 'It turns over leaves on the lawn.'],
  ['Kingfisher', 17, 'river', 'A blue spark under the bridge.'],
  ['Jackdaw', 33, 'roof', 'It nests in chimneys, and looks at you.'],
  ['Nuthatch', 14, 'park', 'It runs down the trunk, head first.'],
  ['Goldfinch', 13, 'garden', 'Thistles bring it, in flocks.'],
  ['Mallard', 56, 'river', 'There is no pond without it.'],
  ['Black redstart', 14, 'roof', 'It sings from the highest aerial before dawn.'],
  ['Tawny owl', 38, 'park', 'Its call is every film’s night.'],
];

const outline = {
  title: 'Twelve birds between the houses',
  birds: BIRDS.map(([name, , , why]) => ({ name, why })),
};

/**
 * @param hold from a bird's name to a promise that its entry waits for
 * @param spoil whether the answer for a bird, in this round (from 1), is given wrongly
 */
export function fieldGuideModel({ hold = () => undefined, spoil = () => false } = {}) {
  return ({ messages, tools = [] }) => {
    const asked = messages.map(({ content }) => (typeof content === 'string' ? content : '')).join('\n');
    const round = messages.filter(({ role }) => role === 'assistant').length + 1;
    const resolve = (value, more = {}) => ({ calls: [{ name: 'resolve', arguments: value }], ...more });
    if (asked.includes('You choose twelve birds')) return resolve(outline, { usage: { input: 412, output: 655 } });
    if (asked.includes('You read a field guide')) {
      const isGood = asked.includes('reading 1') && !asked.includes('reading 0');
      const remark = isGood ? 'Nothing is unclear.' : 'What is a wing bar? The entry of the nuthatch says it twice.';
      return resolve(
        { verdict: isGood ? 'good' : 'revise', remark },
        { text: `${remark} `, usage: { input: 3_120, output: 96 } },
      );
    }
    if (asked.includes('You mend a field guide'))
      return resolve(
        { changed: 2 },
        { text: 'I say "a pale stripe on the wing" instead.', usage: { input: 3_240, output: 210 } },
      );
    return entry(asked, round, tools);
  };

  function entry(asked, round, tools) {
    const [name, length, habitat, why] = BIRDS.find(([one]) => asked.includes(`Bird: ${one}.`)) ?? BIRDS[0];
    const canRead = tools.some((tool) => tool.function.name === 'read_file');
    if (round === 1 && canRead)
      return { calls: [{ name: 'read_file', arguments: { path: 'notes.md' } }], usage: { input: 610, output: 31 } };
    const good = { name, length_cm: length, habitat, know_it_by: [why, 'Compare it with what sits beside it.'] };
    const wrong = {
      name,
      length_cm: round === 2 ? `${length} cm` : `about ${length}`,
      habitat: 'wood',
      know_it_by: [why],
    };
    return {
      text: `The ${name.toLowerCase()} is told by three things: its size, its ${habitat}, and what it does there. ${why} `,
      calls: [{ name: 'resolve', arguments: spoil(name, round) ? wrong : good }],
      usage: { input: 742, output: 188 },
      until: hold(name),
    };
  }
}
