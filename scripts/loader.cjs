#!/usr/bin/env node
/* The command line's door: the version without loading anything; else the bundle, by V8's code cache where it fits this Node. */
'use strict';
const [first] = process.argv.slice(2);
if (first === '--version' || first === '-V') process.stdout.write(`${PIPELINE_VERSION}\n`);
else {
  const { readFileSync } = require('node:fs');
  const { join } = require('node:path');
  const vm = require('node:vm');
  const isBuild = process.env.PIPELINE_BUILD_CACHE === '1';
  const scripts = new Map();
  const loaded = new Map();

  const load = (name) => {
    const filename = join(__dirname, `${name}.js`);
    const cachedData = readCache(name);
    const part = { exports: {} };
    const run = cachedData || isBuild ? compiled(name, filename, cachedData) : required(filename);
    run(part.exports, requirePart, part, filename, __dirname);
    return part.exports;
  };

  const compiled = (name, filename, cachedData) => {
    if (isSmall) setGrowth(USUAL_GROWTH);
    const script = new vm.Script(readFileSync(filename, 'latin1'), { filename, cachedData });
    if (isSmall) setGrowth(1);
    scripts.set(name, script);
    return script.runInThisContext();
  };

  const requirePart = (id) => {
    const [, name] = /^\.\/(\w+)\.js$/.exec(id) ?? [];
    if (!name) return require(id);
    if (!loaded.has(name)) loaded.set(name, load(name));
    return loaded.get(name);
  };

  const readCache = (name) => {
    try {
      return readFileSync(join(__dirname, `${name}.${process.version}.cache`));
    } catch {
      return undefined;
    }
  };

  /* On another Node than the one that built it: that one keeps its own cache, where it may write it and knows how. */
  const required = (filename) => {
    require('node:module').enableCompileCache?.(join(__dirname, 'compile-cache'));
    return require(filename);
  };

  /* Space for new objects need not double again and again: a fifth less memory for many agents at once. V8 prints an error for a flag that it
     does not know, and takes no code cache made under other flags: so only where it was tried, once what a start needs is loaded, and not
     while a part is. */
  const START_MS = 200;
  const USUAL_GROWTH = 2;
  let isSmall = false;
  const setGrowth = (factor) => require('node:v8').setFlagsFromString(`--semi-space-growth-factor=${factor}`);
  const keepSmall = () => {
    isSmall = true;
    setGrowth(1);
  };

  const { main } = requirePart('./bundle.js');
  if (isBuild) module.exports = { main, scripts };
  else {
    main(process.argv.slice(2));
    if (/^v2[0-4]\./.test(process.version)) setTimeout(keepSmall, START_MS).unref();
  }
}
