/** What must hold for a finished card. */
import { MAX_TITLE_WORDS } from './candidate.mjs';
import { citedInBrackets, shortened, wordCount } from './wording.mjs';

/** @returns one sentence for each thing that does not hold */
export function cardProblems(card, spark, placeholder) {
  const problems = [];
  const lines = card.split('\n');
  const title = lines.find((each) => each.startsWith('# '))?.slice(2) ?? '';

  if (title === '') problems.push('it has no title');
  if (wordCount(title) > MAX_TITLE_WORDS)
    problems.push(`its title has ${wordCount(title)} words; ${MAX_TITLE_WORDS} is the bound`);
  if (!card.includes(shortened(spark.query, 600))) problems.push('the direction is not on it');
  if (placeholder !== lines[0].startsWith('> '))
    problems.push('the mark for placeholder text is missing, or stands where it should not');

  const known = spark.papers.map(({ id }) => id);
  const query = shortened(spark.query, 600);
  const unknown = citedInBrackets(card).filter((id) => !known.includes(id) && !query.includes(id));
  if (unknown.length > 0)
    problems.push(`it cites ${unknown.join(', ')}; the papers found are ${known.at(0)} to ${known.at(-1)}`);
  if (known.filter((id) => new RegExp(`\\b${id}\\b`).test(card)).length < 2)
    problems.push('it names fewer than two of the papers found');
  const bare = lines.filter((each) => /^(\*\*[^*]+\*\*[:：]?|-|\d+\.)\s*$/.test(each));
  if (bare.length > 0) problems.push(`nothing follows "${bare[0].trim()}"`);
  return problems;
}
