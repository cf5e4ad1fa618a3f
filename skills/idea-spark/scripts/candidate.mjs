/** What code may do to a candidate: apply changes, keep the locked parts, find what is wrong. */
import { citedInBrackets, line, wordCount } from './wording.mjs';

export const MAX_TITLE_WORDS = 15;
/** What a section must keep: the bounds of candidate.schema.json. */
const LISTS = {
  mechanism: { least: 5, most: 12, longest: 500 },
  closes: { least: 1, most: 5, longest: 400 },
  signature_terms: { least: 2, most: 5, longest: 80 },
  aliases: { least: 2, most: 5, longest: 80 },
};
const TEXTS = { title: 120, hook: 400, missed: 400 };

/**
 * Applies changes one by one; one that does not fit is left out and said.
 * @returns {{candidate: object, refused: string[]}} the given candidate is left as it is
 */
export function applyOperations(given, operations) {
  const candidate = structuredClone(given);
  const refused = [];
  operations.forEach((operation, place) => {
    const reason = Object.hasOwn(TEXTS, operation.section)
      ? changeText(candidate, operation)
      : changeList(candidate, operation);
    if (reason) refused.push(`Change ${place + 1} (${operation.op} ${operation.section}) was left out: ${reason}.`);
  });
  return { candidate, refused };
}

function changeText(candidate, { op, section, text }) {
  if (op !== 'replace') return `${section} can only be replaced`;
  const value = line(text);
  if (value === '') return 'its text is empty';
  if (value.length > TEXTS[section]) return `${section} holds at most ${TEXTS[section]} characters`;
  if (section === 'missed') candidate.missed.what = value;
  else candidate[section] = value;
  return undefined;
}

function changeList(candidate, { op, section, index, text }) {
  if (!Object.hasOwn(LISTS, section)) return `there is no section ${section}, or it is locked`;
  const { least, most, longest } = LISTS[section];
  const list = candidate[section];
  const value = line(text);
  if (op !== 'remove' && value === '') return 'its text is empty';
  if (op !== 'remove' && value.length > longest) return `an entry of ${section} holds at most ${longest} characters`;
  if (op === 'insert') {
    if (section === 'closes') return 'a new claim needs a new candidate';
    if (index > list.length) return `${section} has ${list.length} entries`;
    if (list.length >= most) return `${section} holds at most ${most} entries`;
    if (list.includes(value)) return `${section} has this entry already`;
    list.splice(index, 0, value);
    return undefined;
  }
  if (index >= list.length) return `${section} has ${list.length} entries, counted from 0`;
  if (op === 'remove') {
    if (list.length <= least) return `${section} needs at least ${least} entries`;
    list.splice(index, 1);
  } else if (section === 'closes') list[index].by = value;
  else if (list.includes(value)) return `${section} has this entry already`;
  else list[index] = value;
  return undefined;
}

/** The falsification test and the budget as bytes; equal before and after every change. */
export function lockedBytes(candidate) {
  return JSON.stringify([candidate.falsification, candidate.budget]);
}

/** Every citation, gap and bound that does not hold. */
export function problemsOf(candidate, paperNumbers, gapNumbers) {
  const known = new Set(paperNumbers);
  const problems = [];
  const cited = new Set([
    ...candidate.cites,
    candidate.missed.paper,
    ...candidate.closes.flatMap(({ papers }) => papers),
    ...citedInBrackets(textOf(candidate)),
  ]);
  for (const id of cited) if (!known.has(id)) problems.push(`${id} is cited, but no such paper was found.`);
  for (const { gap } of candidate.closes) {
    if (!gapNumbers.includes(gap))
      problems.push(`${gap} is said to be closed, but the gaps are ${gapNumbers.join(', ')}.`);
  }
  if (wordCount(candidate.title) > MAX_TITLE_WORDS)
    problems.push(`The title has ${wordCount(candidate.title)} words; ${MAX_TITLE_WORDS} is the bound.`);
  return problems;
}

function textOf({ title, hook, mechanism, closes, missed }) {
  return [title, hook, ...mechanism, ...closes.map(({ by }) => by), missed.what].join('\n');
}

/** The candidate as text for a reader who judges it. */
export function briefOf(candidate) {
  const numbered = (list) => list.map((entry, place) => `${place + 1}. ${line(entry)}`).join('\n');
  const { falsification, budget } = candidate;
  return [
    `Title: ${line(candidate.title)}`,
    `Hook: ${line(candidate.hook)}`,
    `Mechanism:\n${numbered(candidate.mechanism)}`,
    `Closes:\n${candidate.closes.map(({ gap, by, papers }) => `- ${gap}: ${line(by)} (${papers.join(', ')})`).join('\n')}`,
    `Falsification (locked): ${line(falsification.test)} Fails if: ${line(falsification.fails_if)} Baseline: ${line(falsification.baseline)}`,
    `Budget (locked): ${line(budget.compute)} ${budget.accelerator_hours} accelerator hours, ${budget.person_weeks} person-weeks. ${line(budget.material)}`,
    `Almost had it: ${candidate.missed.paper}. ${line(candidate.missed.what)}`,
    `Signature terms: ${candidate.signature_terms.map(line).join('; ')}`,
    `Aliases: ${candidate.aliases.map(line).join('; ')}`,
    `Cites: ${candidate.cites.join(', ')}`,
  ].join('\n\n');
}
