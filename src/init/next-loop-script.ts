/** scripts/run.mjs of the template `next-loop`: JavaScript without packages, and an example of its kind. */

export const NEXT_LOOP_SCRIPT = String.raw`/** Says what comes next, from the files of the run alone; the other commands do the work that needs no model. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const MOST_QUESTIONS = 5;
const RULE = '━'.repeat(72);

const command = process.argv[2] ?? 'next';
const run = argument('--dir');
const query = argument('--query');

/** The first one counts: a query may hold anything. */
function argument(name) {
  const at = process.argv.indexOf(name);
  return at < 0 ? '' : (process.argv[at + 1] ?? '');
}

const path = (name) => join(run, name);
const has = (name) => existsSync(path(name));
const read = (name) => readFileSync(path(name), 'utf8');

function write(name, text) {
  mkdirSync(join(path(name), '..'), { recursive: true });
  writeFileSync(path(name), text);
}

/** One word of a shell, whatever it holds. */
const quoted = (text) => "'" + text.replaceAll("'", "'\\''") + "'";

const self = (name) => ['node', quoted(fileURLToPath(import.meta.url)), name, '--dir', quoted(run)].join(' ');

/** The first state whose work is not done. It writes nothing, so it can be asked at any time. */
function next() {
  if (query.trim() === '') {
    return {
      STATE: 'do_not_generate',
      STEP: '0. nothing asked',
      TYPE: 'terminal',
      NOTES: 'The query is empty. Say in a few words what to answer.',
    };
  }
  if (!has('phase0/questions.json')) {
    return {
      STATE: 'P0_QUESTIONS',
      STEP: '0. find the smaller questions',
      TYPE: 'llm_subagent',
      DO: 'Find the smaller questions in the query.',
      PROMPT: 'prompts/questions.md',
      OUTPUT: 'phase0/questions.txt (one question a line)',
      RUN: self('check'),
      THEN: 'ask again',
    };
  }
  if (JSON.parse(read('phase0/questions.json')).length === 0) {
    return { STATE: 'P0_FAILED', STEP: '0. check', TYPE: 'terminal', NOTES: 'No question was found in the query.' };
  }
  if (!has('phase1/answers.md')) {
    return {
      STATE: 'P1_ANSWERS',
      STEP: '1. answer them',
      TYPE: 'llm_subagent',
      DO: 'Answer each question of the list.',
      PROMPT: 'prompts/answer.md',
      INPUT: ['phase0/questions.json (the list)', 'prompts/style.md (how to write)'],
      OUTPUT: 'phase1/answers.md',
      THEN: 'ask again',
    };
  }
  if (!has('phase2/page.md')) {
    return { STATE: 'P2_PAGE', STEP: '2. make the page', TYPE: 'bash', RUN: self('page') + ' --query ' + quoted(query) };
  }
  return { STATE: 'DONE', STEP: '2. the end', TYPE: 'terminal', NOTES: 'The page is phase2/page.md.' };
}

/** Keys are padded to 7; further lines of a value begin with 9 spaces. */
function print(block) {
  const lines = Object.entries(block).map(([key, value]) => {
    const text = Array.isArray(value) ? value.join('\n') : value;
    return key.padEnd(7) + ': ' + text.replaceAll('\n', '\n         ');
  });
  console.log([RULE, ...lines, RULE].join('\n'));
}

/** What a model wrote is not trusted: bullets and empty lines go, and there are not too many. */
function check() {
  const lines = read('phase0/questions.txt').split('\n');
  const questions = lines.map((line) => line.replace(/^\s*(?:[-*]|\d+[.)])\s+/, '').trim()).filter((line) => line !== '');
  write('phase0/questions.json', JSON.stringify(questions.slice(0, MOST_QUESTIONS), null, 2) + '\n');
}

function page() {
  write('phase2/page.md', ['# ' + query.trim().replace(/\s+/g, ' '), '', read('phase1/answers.md').trim(), ''].join('\n'));
}

if (command === 'next') print(next());
else if (command === 'check') check();
else if (command === 'page') page();
else {
  console.error('There is no command "' + command + '": next, check or page.');
  process.exitCode = 1;
}
`;
