/** A library on disk as papers: a .bib or .json file, or a folder of them. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { parseBibtex } from './bibtex.mjs';
import { toPaper } from './records.mjs';

const MAX_BYTES = 64 * 1024 * 1024;
const MAX_FILES = 500;

/** @returns papers that name `source`, in the order of the files */
export async function readLibrary(path, source) {
  const files = await libraryFiles(path);
  const papers = [];
  for (const file of files) {
    for (const record of await readRecords(file)) {
      const paper = toPaper(record, source);
      if (paper) papers.push(paper);
    }
  }
  return papers;
}

async function libraryFiles(path) {
  const found = await stat(path).catch(() => undefined);
  if (!found) throw new Error(`there is no file or folder ${path}`);
  if (!found.isDirectory()) return [path];
  const names = (await readdir(path)).filter((name) => /\.(bib|json)$/i.test(name)).sort();
  if (names.length === 0) throw new Error(`${path} holds no .bib or .json file`);
  if (names.length > MAX_FILES) throw new Error(`${path} holds ${names.length} libraries; the bound is ${MAX_FILES}`);
  return names.map((name) => join(path, name));
}

async function readRecords(file) {
  const { size } = await stat(file);
  if (size > MAX_BYTES) throw new Error(`${basename(file)} has ${size} bytes; the bound is ${MAX_BYTES}`);
  const source = (await readFile(file, 'utf8')).replace(/^\uFEFF/, '');
  if (extname(file).toLowerCase() === '.bib') return parseBibtex(source);
  return recordsOf(parseJson(source, file), file);
}

function parseJson(source, file) {
  try {
    return JSON.parse(source);
  } catch (error) {
    throw new Error(`${basename(file)} is not JSON: ${error.message}`);
  }
}

/** A list, or an object that holds one under a usual name. */
function recordsOf(value, file) {
  if (Array.isArray(value)) return value;
  const list = value?.papers ?? value?.items ?? value?.references ?? value?.data;
  if (Array.isArray(list)) return list;
  throw new Error(`${basename(file)} holds no list of papers: write [ … ] or {"papers": [ … ]}`);
}
