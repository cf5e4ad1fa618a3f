import { expect, it } from 'vitest';
import { columnsOfScreen } from '../../src/cli/output.js';

it('takes a terminal of 0 columns, or of none, as one of 80', () => {
  expect([{ columns: 0 }, {}, { columns: 40 }].map(columnsOfScreen)).toEqual([80, 80, 40]);
});
