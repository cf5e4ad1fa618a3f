import { describe, expect, it } from 'vitest';
import { readPrinted } from '../../src/driver/block.js';

const RULE = '\u2501'.repeat(72);
const printed = (...lines: string[]) => readPrinted([RULE, ...lines, RULE].join('\n'));

describe('a block', () => {
  it('has its keys, and the lines that continue them: each line of INPUT, a script of several lines', () => {
    const { block, problem } = printed(
      'STATE  : P2_AUDIT',
      'STEP   : 2. audit (round 1)',
      'TYPE   : llm_subagent   (isolated)',
      'DO     : Audit the candidate.',
      'PROMPT : prompts/audit.md (the auditor)',
      'INPUT  : candidate.json',
      '         evidence/one.md (what was found)',
      '         evidence/two.md',
      'OUTPUT : audit.json',
      'RUN    : for x in a b; do',
      '           echo "$x"',
      '         done',
      'NOTES  : none',
      'THEN   : ask again',
    );
    expect(problem).toBeUndefined();
    expect(block).toEqual({
      state: 'P2_AUDIT',
      step: '2. audit (round 1)',
      type: 'llm_subagent',
      do: 'Audit the candidate.',
      prompt: 'prompts/audit.md (the auditor)',
      input: ['candidate.json', 'evidence/one.md (what was found)', 'evidence/two.md'],
      output: 'audit.json',
      run: 'for x in a b; do\n  echo "$x"\ndone',
      notes: 'none',
      after: 'ask again',
      bare: [],
    });
  });

  it('is found among other lines, with CRLF, and with values that hold colons', () => {
    const text = `looking\r\n${RULE}\r\nTYPE   : bash\r\nRUN    : echo a: b\r\n${RULE}\r\n\r\nbye\r\n`;
    expect(readPrinted(text)).toMatchObject({ block: { type: 'bash', run: 'echo a: b' }, around: ['looking', 'bye'] });
  });

  it('keeps lines that belong to no key', () => {
    expect(printed('ALL DONE', 'TYPE   : terminal').block).toMatchObject({ type: 'terminal', bare: ['ALL DONE'] });
  });
});

describe('what is no block is said', () => {
  it.each([
    ['', 'it printed no block'],
    ['some words\n', 'it printed no block'],
    [`${RULE}\nTYPE   : bash\nRUN    : true\n`, 'its block has no second line of \u2501'],
    [`${RULE}\nSTATE  : A\n${RULE}\n`, 'its block has no TYPE'],
    [`${RULE}\nTYPE   : bash\nRUN    : a\nRUN    : b\n${RULE}\n`, 'its block has RUN twice'],
    [`${RULE}\nTYPE   : bash\n${RULE}\n${RULE}\nTYPE   : bash\n${RULE}\n`, 'it printed more than one block'],
  ])('%j', (text, problem) => {
    expect(readPrinted(text).problem).toBe(problem);
  });
});
