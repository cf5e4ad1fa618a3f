import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { allowedWords, parseRule } from '../../src/tools/rules.js';
import { shellWords } from '../../src/tools/words.js';

const RULES = ['git log *', 'npm test', 'npm run lint:*', 'cp * out'].map(parseRule);

describe('a rule', () => {
  it.each([
    ['git log', ['git', 'log']],
    ['git log --oneline HEAD~3 v1..v2', ['git', 'log', '--oneline', 'HEAD~3', 'v1..v2']],
    ["git log --grep 'a; b $(c)'", ['git', 'log', '--grep', 'a; b $(c)']],
    ['git log --grep="a | b" \'\'', ['git', 'log', '--grep=a | b', '']],
    ['  npm \t test ', ['npm', 'test']],
    ["'npm' te'st'", ['npm', 'test']],
    ['npm run lint -- --fix', ['npm', 'run', 'lint', '--', '--fix']],
    ["cp 'a b' out", ['cp', 'a b', 'out']],
  ])('covers %j, which becomes its words', (line, argv) => {
    expect(allowedWords(RULES, line)).toEqual({ argv });
  });

  it.each([
    '',
    ' ',
    'git',
    'git logs',
    'git push',
    'npm test -- x',
    "'npm test'",
    'cp a b out',
    'git log; id',
    'git log & id',
    'git log && id',
    'git log | sh',
    'git log > /etc/x',
    'git log < /etc/x',
    'git log $(id)',
    'git log `id`',
    'git log $HOME',
    "git log $'\\x41'",
    'git log\nid',
    'git log\r\nid',
    'git log "$(id)"',
    'git log "`id`"',
    'git log "a\\"; id"',
    "git log 'a\nb'",
    "git log 'a' 'b",
    'git log "a',
    "git log ''; id ''",
    'A=1 git log',
    'git log ~root',
    'git log #x',
    'git log \\; id',
    'git log *.ts',
    'git log a?',
    'git log [ab]',
    'git log {a,b}',
    'git log (id)',
    'git log \0',
    '! git log',
  ])('does not cover %j', (line) => {
    expect(allowedWords(RULES, line)).toHaveProperty('problem');
  });

  it.each([
    ['git log | head', 'is a pipe'],
    ['git log $X', 'is a substitution'],
    ['ls *.md', 'is a file pattern'],
    ["echo 'a", 'is not closed'],
    ['* --help', 'names no program'],
    ["'' x", 'names no program'],
  ])('is refused when it could cover nothing that is safe: %s', (rule, why) => {
    expect(() => parseRule(rule)).toThrow(why);
  });

  it('takes a quoted star for a star', () => {
    expect(allowedWords([parseRule("echo '*'")], "echo '*'")).toEqual({ argv: ['echo', '*'] });
    expect(allowedWords([parseRule("echo '*'")], 'echo a')).toHaveProperty('problem');
  });
});

/** Enough of what means something to bash, and little else; nothing of it names a program. */
const HOSTILE = fc
  .array(
    fc.constantFrom(
      ...['a', 'b', '-', '=', '/', '.', ':', ' ', '\t', "'", '"', '\\', '$', '`', ';', '&', '|', '<', '>', '(', ')'],
      ...[
        '*',
        '?',
        '[',
        ']',
        '{',
        '}',
        ',',
        '~',
        '#',
        '!',
        '%',
        '^',
        '@',
        '\n',
        '\r',
        '$(',
        '${',
        '..',
        "$'",
        'ä',
        '💡',
      ],
    ),
    { maxLength: 14 },
  )
  .map((parts) => parts.join(''));

describe('the words of a command', () => {
  it('are what was quoted, whatever it was', () => {
    const word = fc.string({ unit: 'binary' }).filter((text) => !/[\0\r\n]/.test(text));
    const quote = (text: string) =>
      text.includes("'")
        ? text
            .split("'")
            .map((part) => `'${part}'`)
            .join(`"'"`)
        : `'${text}'`;
    fc.assert(
      fc.property(fc.array(word, { minLength: 1 }), (words) => {
        expect(shellWords(words.map(quote).join(' '))).toEqual({ words });
      }),
    );
  });

  it.each(['a=~', 'a=x:~', 'a:~/b', '~'])('hold no home folder: %s', (line) => {
    expect(shellWords(line)).toEqual({ problem: '"~" is a home folder' });
  });

  it('are those that bash sees, in a folder full of files: nothing is expanded, nothing is run', () => {
    const dir = mkdtempSync(join(tmpdir(), 'words-'));
    onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
    execFileSync('bash', ['-c', 'touch a b ab a.b -- -a'], { cwd: dir });
    const before = readdirSync(dir);
    const lines = fc.sample(HOSTILE, 20_000).flatMap((line) => {
      const read = shellWords(line);
      return 'words' in read ? [{ line, words: read.words }] : [];
    });
    expect(lines.length).toBeGreaterThan(1_000);
    const script = lines.map(({ line }) => `printf '%s\\0' x ${line}\nprintf '\\1'`).join('\n');
    const said = execFileSync('bash', ['--noprofile', '--norc'], {
      cwd: dir,
      input: script,
      env: { LC_ALL: 'C.UTF-8' },
    });
    const seen = said.toString().split('\x01').slice(0, -1);
    expect(seen.map((text) => text.split('\0').slice(1, -1))).toEqual(lines.map(({ words }) => words));
    expect(readdirSync(dir)).toEqual(before);
  });

  it('that a rule lets through begin with its own', () => {
    const open = [parseRule('a b *')];
    fc.assert(
      fc.property(HOSTILE, (rest) => {
        const read = allowedWords(open, `a b ${rest}`);
        if ('argv' in read) expect(read.argv.slice(0, 2)).toEqual(['a', 'b']);
        const glued = allowedWords(open, `a b${rest}`);
        if ('argv' in glued) expect(glued.argv.slice(0, 2)).toEqual(['a', 'b']);
      }),
      { numRuns: 2_000 },
    );
  });
});
