/** Texts that a shell, a template or an option parser would take for more than text. */
import { randomFrom } from './random.js';

/** @param canary made by whoever executes it: a path without a character that a shell knows */
const known = (canary: string): readonly string[] => [
  `$(touch ${canary})`,
  `\`touch ${canary}\``,
  `; touch ${canary} ;`,
  `&& touch ${canary} &&`,
  `| touch ${canary}`,
  `\ntouch ${canary}\n`,
  `'; touch ${canary}; '`,
  `"; touch ${canary}; "`,
  `"$(touch ${canary})"`,
  `'$(touch ${canary})'`,
  `\\'; touch ${canary}; \\'`,
  `> ${canary}`,
  `<(touch ${canary})`,
  `\${x:=$(touch ${canary})}`,
  `$((x[$(touch ${canary})]))`,
  `() { :; }; touch ${canary}`,
  `#\ntouch ${canary} #`,
  `\${{ query + "x" }}`,
  `\${{ steps.first.output }}`,
  `\${{ run.dir }}$(touch ${canary})`,
  `$\${{ query }}`,
  `{{ query }} <%= x %> #{x}`,
  `--eval=require("fs").writeFileSync("${canary}","")`,
  '-rf',
  '--',
  '--help',
  '-n',
  '-e \\x41',
  '%s%n%x',
  '*',
  '~',
  '$HOME $PATH ${IFS} $0 $@ $#',
  '\u0001\u0002\u0007\b\u000b\f\u001b[2J\u001b]0;x\u0007\u007f\u0085',
  'line\r\nline\rline\n\n',
  '\t \u00a0 leading and trailing \u3000 ',
  'é e\u0301 汉字 😀 👩‍👩‍👧 \u202Ereversed\u2066 ﷽ \uFEFFbom \u2028 \u2029',
  '"\'`\\ /"\'`\\ /',
  '\\\\\\n\\0\\x00\\u0000',
  '{"a": [1, null, "b"]}',
  'null',
  '0123',
  '1e400',
  '!history !! !$',
  '<!-- --> ]]> &amp; </script><script>',
  'a=b c=d;export x',
  `EOF\ntouch ${canary}\nEOF`,
  `x'$'\\n'touch ${canary}`,
  `$'\\x24(touch ${canary})'`,
  '__proto__',
  '.',
];

/** The same seed gives the same payloads; beyond the known ones they are put together from these. */
export function shellPayloads(count: number, seed: number, canary: string): string[] {
  const random = randomFrom(seed);
  const from = known(canary);
  const pick = () => from[Math.floor(random() * from.length)] as string;
  const made = new Set(from.slice(0, count));
  while (made.size < count) {
    const parts = Array.from({ length: 2 + Math.floor(random() * 3) }, pick);
    const long = made.size % 25 === 0 ? 'long '.repeat(Math.floor(random() * 1_600)) : '';
    made.add(long + parts.join(['', ' ', '\n', '"', "'", ';', '\\'][Math.floor(random() * 7)]));
  }
  return [...made];
}

/** Those that can be the name of a file that is published. */
export function asFileNames(payloads: readonly string[]): string[] {
  return payloads
    .map((text) => text.replaceAll('/', ':').replaceAll('\\', ''))
    .filter((name) => name !== '' && !/^[.~]/.test(name) && Buffer.byteLength(name) <= 200);
}
