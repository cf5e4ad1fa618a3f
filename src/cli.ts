#!/usr/bin/env node
/** The command line's door: the version without loading anything, everything else by commander. */
import { version } from './version.js';

const [first] = process.argv.slice(2);
if (first === '--version' || first === '-V') process.stdout.write(`${version}\n`);
else {
  const { main } = await import('./cli/program.js');
  await main(process.argv.slice(2));
}
