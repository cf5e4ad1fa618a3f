#!/usr/bin/env node
/* The command line's door: the version without loading anything; else the bundle, by V8's code cache where it fits this Node. */
'use strict';
const [first] = process.argv.slice(2);
if (first === '--version' || first === '-V') process.stdout.write(`${PIPELINE_VERSION}\n`);
else {
  const { readFileSync } = require('node:fs');
  const { join } = require('node:path');
  const vm = require('node:vm');
  const filename = join(__dirname, 'bundle.js');
  let cachedData;
  try {
    cachedData = readFileSync(join(__dirname, 'bundle.cache'));
  } catch {
    // Built without one.
  }
  const source = `(function (exports, require, module, __filename, __dirname) {${readFileSync(filename, 'latin1')}\n})`;
  const script = new vm.Script(source, { filename, cachedData });
  const bundle = { exports: {} };
  script.runInThisContext()(bundle.exports, require, bundle, filename, __dirname);
  if (process.env.PIPELINE_BUILD_CACHE) module.exports = { main: bundle.exports.main, script };
  else bundle.exports.main(process.argv.slice(2));
}
