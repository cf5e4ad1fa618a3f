/** What a prompt is about, read without a language model: its lead phrase, its sentences, its words that look like something. */

export interface PromptText {
  readonly text: string;
  /** The subject: the first meaningful line, without its label; at most 12 words or 30 characters of a language without spaces. */
  readonly lead: string;
  /** Distinct, in order, without the lead, headings, code and data. */
  readonly sentences: readonly string[];
}

const LEAD_WORDS = 12;
const LEAD_CHARACTERS_UNSPACED = 30;
const SUBJECT_LABELS =
  /^(?:research |user |your |the )?(?:direction|query|question|topic|subject|idea|request|theme|title|方向|研究方向|查询|问题|主题|题目|课题|请求)$/iu;
const LABEL = /^([\p{L}][\p{L}\p{N} _-]{0,30}?)\s*[::]\s*(.*)$/u;
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

export function readPrompt(text: string): PromptText {
  const lines = meaningfulLines(text);
  const lead = leadOf(lines);
  return { text, lead, sentences: sentencesOf(lines).filter((sentence) => !sentence.startsWith(lead)) };
}

export function isUnspaced(text: string): boolean {
  const letters = text.match(/\p{L}/gu) ?? [];
  return letters.filter((letter) => UNSPACED.test(letter)).length * 2 > letters.length;
}

/** At most `words` words (two characters each where words have no spaces) and `characters` characters, cut between words. */
export function cutText(text: string, words: number, characters: number): string {
  const byWords = isUnspaced(text)
    ? [...text].slice(0, Math.max(words * 2, 2)).join('')
    : text.split(/\s+/).slice(0, words).join(' ');
  if (byWords.length <= characters) return byWords;
  const hard = [...byWords].reduce((kept, char) => (kept.length + char.length <= characters ? kept + char : kept), '');
  const space = hard.lastIndexOf(' ');
  return (space > characters / 2 ? hard.slice(0, space) : hard).replace(/[\s,;:—–-]+$/u, '') || hard;
}

/** `almost_prior` and `almostPrior` → `almost prior`. */
export function humanise(name: string): string {
  return name
    .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
    .replace(/[_\-./]+/g, ' ')
    .trim()
    .toLowerCase();
}

/** Words of the prompt that name a file, and are not addresses. */
export function pathsIn(text: string): string[] {
  const found = text.matchAll(
    /(?<![\w./:-])(?:\.{0,2}\/)?[\w-][\w.-]*(?:\/[\w.-]+)*\.(?:md|txt|json|ya?ml|csv|tsv|bib|html?|xml|toml|log|m?[jt]s|py|sh)(?![\w/])/gi,
  );
  return [...new Set([...found].map((match) => match[0]))];
}

interface Line {
  readonly label: string;
  readonly text: string;
}

function meaningfulLines(text: string): Line[] {
  const lines: Line[] = [];
  let fenced = false;
  let label = '';
  for (const raw of text.split(/\r\n|\r|\n/)) {
    if (/^\s*(```|~~~)/.test(raw)) {
      fenced = !fenced;
      continue;
    }
    const heading = /^\s*#{1,6}\s+(.*)$/.exec(raw);
    if (heading) {
      label = clean(heading[1] ?? '');
      continue;
    }
    const line = clean(raw);
    if (fenced || !/[\p{L}\p{N}]/u.test(line) || /^(?:[{}[\]<]|"[^"]*"\s*:)/.test(line)) continue;
    const labelled = LABEL.exec(line);
    if (labelled && (labelled[2] ?? '') === '') {
      label = labelled[1] ?? '';
      continue;
    }
    lines.push(
      labelled ? { label: labelled[1] ?? '', text: unquote(labelled[2] ?? '') } : { label, text: unquote(line) },
    );
    label = '';
  }
  return lines;
}

function leadOf(lines: readonly Line[]): string {
  const named = lines.slice(0, 40).find((line) => SUBJECT_LABELS.test(line.label));
  const text = (named ?? lines[0])?.text ?? '';
  const words = isUnspaced(text) ? LEAD_CHARACTERS_UNSPACED / 2 : LEAD_WORDS;
  return cutText(text, words, 100).replace(/[.。!?!?,;:…]+$/u, '') || 'untitled';
}

function sentencesOf(lines: readonly Line[]): string[] {
  const sentences = lines.flatMap((line) => line.text.split(/(?<=[.!?])\s+(?=[\p{Lu}\p{N}"“(])|(?<=[。!?])/u));
  const worth = sentences
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence.length <= 300 && sentence.length >= (isUnspaced(sentence) ? 8 : 20));
  return [...new Set(worth)];
}

function clean(line: string): string {
  return line
    .replace(/^\s*(?:[-*+•>]\s+|\d+[.)]\s+)+/, '')
    .replace(/[*_`]{1,3}([^*_`]+)[*_`]{1,3}/g, '$1')
    .trim();
}

function unquote(text: string): string {
  return text.replace(/^["'“‘「]+|["'”’」]+$/gu, '').trim();
}
