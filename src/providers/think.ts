/** Separates `<think>` blocks from the text they stand in, while it streams. */

export interface ThinkFilter {
  push(text: string): Parted;
  /** What was held back, in case it was the start of a tag. */
  end(): Parted;
}

export interface Parted {
  readonly text: string;
  readonly reasoning: string;
}

/**
 * A template may put the opening tag into the prompt: the reply then begins in the middle of a thought, which a closing tag at the end
 * of a line ends. Undefined if there is none.
 */
export function partHeadless(text: string): Parted | undefined {
  if (!text.includes('</think')) return undefined;
  const [whole, reasoning = ''] = /^([\s\S]*?)<\/think(?:ing)?>[ \t]*(?:\r?\n\s*|$)/.exec(text) ?? [];
  if (whole === undefined || /`|<think/.test(reasoning)) return undefined;
  return { text: text.slice(whole.length), reasoning };
}

const OPEN = ['<think>', '<thinking>'];
const CLOSE = ['</think>', '</thinking>'];
const QUOTES = new Set(['"', "'", '`', '“', '”', '‘', '«', '「']);

/**
 * Tags may be cut anywhere: at most 10 characters are held back. Left alone are tags in code (between backticks or fences), after a
 * quotation mark, and in an answer that is JSON.
 */
export function createThinkFilter(): ThinkFilter {
  let held = '';
  let thinking = false;
  /** Length of the run of backticks that opened the code we are in; 0 outside. */
  let code = 0;
  let ticks = 0;
  let last = '';
  let json: boolean | undefined;

  function endTicks(): void {
    if (ticks === 0) return;
    if (code === 0) code = ticks;
    else if (ticks === code || (code >= 3 && ticks > code)) code = 0;
    ticks = 0;
  }

  /** Follows code spans over visible text that holds no tag. */
  function follow(text: string): void {
    if (json === undefined) {
      const first = text.trimStart()[0];
      if (first !== undefined) json = first === '{' || first === '[';
    }
    // Most text has no code in it.
    const isPlain = ticks === 0 && code === 0 && !text.includes('`');
    for (const char of isPlain ? '' : text) {
      if (char === '`') ticks++;
      else {
        endTicks();
        if (char === '\n' && code > 0 && code < 3) code = 0;
      }
    }
    last = text.at(-1) ?? last;
  }

  function part(input: string, final: boolean): Parted {
    if (!input.includes('<')) {
      if (thinking) return { text: '', reasoning: input };
      follow(input);
      return { text: input, reasoning: '' };
    }
    const text: string[] = [];
    const reasoning: string[] = [];
    let rest = input;
    while (rest !== '') {
      const at = rest.indexOf('<');
      const plain = at < 0 ? rest : rest.slice(0, at);
      if (thinking) reasoning.push(plain);
      else {
        text.push(plain);
        follow(plain);
      }
      if (at < 0) break;
      rest = rest.slice(at);
      const tags = thinking ? CLOSE : OPEN;
      const tag = tags.find((known) => rest.startsWith(known));
      if (!final && !tag && tags.some((known) => known.startsWith(rest))) {
        held = rest;
        break;
      }
      if (!thinking) endTicks();
      if (tag && (thinking || (code === 0 && json !== true && !QUOTES.has(last)))) {
        thinking = !thinking;
        rest = rest.slice(tag.length);
        continue;
      }
      if (thinking) reasoning.push('<');
      else {
        text.push('<');
        follow('<');
      }
      rest = rest.slice(1);
    }
    return { text: text.join(''), reasoning: reasoning.join('') };
  }

  return {
    push(input) {
      const all = held + input;
      held = '';
      return part(all, false);
    },
    end() {
      const all = held;
      held = '';
      return part(all, true);
    },
  };
}
