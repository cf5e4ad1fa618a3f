import { expect, it } from 'vitest';
import { undisturbed } from '../../prove/rows/operations.js';

// What happens when one of them goes wrong is a row of `npm run prove`.
it('the run whose file operations go wrong one by one reaches every kind of operation but those that only mend', async () => {
  const { files, operations } = await undisturbed();
  expect([...files.keys()]).toEqual([
    'colours.json',
    'notes/one.txt',
    'page.md',
    'paint/0/painted/red.md',
    'paint/0/red.txt',
    'paint/1/green.txt',
    'paint/1/painted/green.md',
    'run.sh',
  ]);
  expect([...new Set(operations)].sort()).toEqual(
    ['chmod', 'close', 'copy', 'fsync', 'fsyncAsync', 'link', 'mkdir', 'open', 'rename', 'write'].sort(),
  );
});
