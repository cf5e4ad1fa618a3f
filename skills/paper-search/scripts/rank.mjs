/** How well a paper fits a query, from its words alone. */

/** With more, hardly a paper has them all. */
const MAX_REQUIRED_WORDS = 6;
const STOP_WORDS = new Set(
  `about above after again against also among another based because been before being below between both cannot could does doing
  down during each either else enough even ever every from further have having here hers herself himself into itself just like made
  make many more most much must neither only other ours over same should since some such than that their theirs them then there
  these they this those through toward towards under until upon using very want were what when where which while whom whose will
  with within without would your yours paper papers study studies research approach approaches method methods`.split(
    /\s+/,
  ),
);
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

/** The distinct words of a query that can tell papers apart: longer than 3 letters, no stop words; of scripts without spaces, 2 or more. */
export function wordsOf(query) {
  return [
    ...new Set(
      split(query).filter((word) => (UNSPACED.test(word) ? word.length > 1 : word.length > 3 && !STOP_WORDS.has(word))),
    ),
  ];
}

/** For a source that wants every word to be there: the first few that tell, or the first few at all. */
export function fewWordsOf(query) {
  const telling = wordsOf(query);
  const words = telling.length > 0 ? telling : split(query);
  if (words.length === 0) throw new Error('the query holds no word');
  return words.slice(0, MAX_REQUIRED_WORDS);
}

/** How many of `words` begin some word of title or abstract. */
export function scoreOf(paper, words) {
  if (words.length === 0) return 0;
  const own = split(`${paper.title} ${paper.abstract}`);
  return words.filter((word) => own.some((other) => other.startsWith(word))).length;
}

/** Non-surveys first, then by score, citations and title; the same input gives the same order. */
export function rank(papers, queries) {
  const words = wordsOf(queries.join(' '));
  return papers
    .map((paper) => ({ ...paper, score: scoreOf(paper, words) }))
    .sort(
      (a, b) =>
        Number(a.survey) - Number(b.survey) ||
        b.score - a.score ||
        b.citations - a.citations ||
        (a.title < b.title ? -1 : a.title > b.title ? 1 : 0),
    );
}

function split(value) {
  const lower = value.normalize('NFKC').toLowerCase();
  if (!UNSPACED.test(lower)) return lower.match(/[\p{L}\p{N}]+/gu) ?? [];
  const segments = new Intl.Segmenter(undefined, { granularity: 'word' }).segment(lower);
  return [...segments].filter((part) => part.isWordLike).map((part) => part.segment);
}
