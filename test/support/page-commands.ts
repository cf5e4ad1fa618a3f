/** The command lines of this program that stand in a page: in fences, and in the text between backticks. */
import { fencesOf } from './pages.js';

export interface Named {
  readonly line: number;
  /** From `pipeline` on, as it stands there. */
  readonly text: string;
  /** What comes after `pipeline`, as a shell would part it, up to what only stands for something: `…`, `<run>`, `[step]`. */
  readonly args: readonly string[];
  /** Options that come after that. */
  readonly laterOptions: readonly string[];
}

/** One that names several at once, as in `list|show`, is there once for each. */
export function commandsIn(page: string): Named[] {
  return [...inFences(page), ...inText(page)].flatMap(({ line, text }) =>
    alternatives(text).map((one) => ({ line, text: one, ...parted(one) })),
  );
}

interface Found {
  readonly line: number;
  readonly text: string;
}

/** In a fence with prompts only what stands behind one; what a program printed may end in what to type next. */
const TYPED = /^\s*(?:- run: )?(?:[A-Z_]+=\S+ )*(?:npx )?(pipeline .*)$/;
const NEXT = /^\s+(?:try|go on|answer)\s+(pipeline \w.*?)(?:, (?:if|else|or) .*)?$/;
const CHAINED = /(?:&&|\||;) (?:npx )?(pipeline .*)$/;

function inFences(page: string): Found[] {
  return fencesOf(page).flatMap(({ line, language, text }) => {
    if (['ts', 'js', 'json', 'md'].includes(language)) return [];
    const lines = text.split('\n').map((one, at) => ({ line: line + at, text: one }));
    const hasPrompts = lines.some((one) => one.text.startsWith('$ '));
    return lines.flatMap((one) => {
      const typed = hasPrompts ? one.text.replace(/^\$ |^.*$/, (start) => (start === '$ ' ? '' : ' ')) : one.text;
      return [TYPED, NEXT, CHAINED].flatMap((form) => {
        const found = form.exec(form === NEXT ? one.text : typed)?.[1];
        return found === undefined ? [] : [{ line: one.line, text: found }];
      });
    });
  });
}

function inText(page: string): Found[] {
  const text = page.replace(/^( *)```[\s\S]*?^\1```$/gm, (fence) => fence.replace(/[^\n]/g, ' '));
  return [...text.matchAll(/`(?:[A-Z_]+=\S+ )?(?:npx )?(pipeline [^`\n]+)`/g)].map(({ index, 1: found = '' }) => ({
    line: text.slice(0, index).split('\n').length,
    text: found.replaceAll('\\|', '|'),
  }));
}

function alternatives(text: string): string[] {
  const found = /(?<=^| )[\w-]+(?:\|[\w-]+)+(?= |$)/.exec(text);
  if (found === null) return [text];
  const { index, 0: all } = found;
  return all.split('|').flatMap((one) => alternatives(text.slice(0, index) + one + text.slice(index + all.length)));
}

const WORD = /"((?:\\.|[^"\\])*)"|'([^']*)'|(\S+)/g;
const ENDS = /^(&&|\|\|?|;|>>?|<|2>&1|#.*|\d?>\S*)$/;
const STANDS_FOR_SOMETHING = /…|^<\w|^\[|\.\.\.|<\w[^>]*>/;

function parted(text: string): Pick<Named, 'args' | 'laterOptions'> {
  const words = [...text.replace(/^pipeline /, '').matchAll(WORD)].map(([all, double, single]) => ({
    all,
    value: double ?? single ?? all,
  }));
  const end = words.findIndex(({ all }) => ENDS.test(all));
  const own = end < 0 ? words : words.slice(0, end);
  const known = own.findIndex(({ all }) => STANDS_FOR_SOMETHING.test(all));
  const split = known < 0 ? own.length : known;
  return {
    args: own.slice(0, split).map(({ value }) => value),
    laterOptions: own.slice(split).flatMap(({ all }) => /^\[?(--?[a-z][\w-]*)/.exec(all)?.[1] ?? []),
  };
}
