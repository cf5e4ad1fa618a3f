/** What is wrong with the packages that the project depends on: versions that can move, licences that bind its users. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const PERMISSIVE = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'ISC',
  'MIT',
  'PSF-2.0',
  'Python-2.0',
  'Unlicense',
]);

/** Parts of development tools that are used as they are and never shipped. */
const TOLERATED = { lightningcss: 'MPL-2.0', 'axe-core': 'MPL-2.0' };

const EXACT = /^\d+\.\d+\.\d+(-[\w.]+)?$/;

export function pinProblems(root) {
  const { dependencies = {}, devDependencies = {} } = readJson(join(root, 'package.json'));
  return Object.entries({ ...dependencies, ...devDependencies })
    .filter(([, version]) => !EXACT.test(version))
    .map(
      ([name, version]) => `package.json: ${name} is "${version}"; pin one version, e.g. npm i --save-exact ${name}`,
    );
}

/** Of all that the lock file names; a package of another platform, which is not installed, by what the lock file says. */
export function licenceProblems(root) {
  const { packages } = readJson(join(root, 'package-lock.json'));
  const problems = [];
  for (const [path, locked] of Object.entries(packages)) {
    if (path === '') continue;
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    const file = join(root, path, 'package.json');
    const licence = licenceOf(existsSync(file) ? readJson(file) : locked);
    if (isPermissive(licence) || (locked.dev && isTolerated(name, licence))) continue;
    problems.push(`${path}: the licence is ${licence || 'not stated'}; use a package with a permissive one`);
  }
  return problems;
}

/** Old packages have an object or a list. */
function licenceOf({ license, licenses }) {
  const stated = [license ?? licenses ?? ''].flat().map((one) => (typeof one === 'string' ? one : (one.type ?? '')));
  return stated.join(' OR ');
}

/** One side of an OR is enough, every side of an AND is needed. */
function isPermissive(licence) {
  const [first, ...others] = licence.replace(/[()]/g, '').split(/\s+OR\s+/);
  if (others.length > 0) return [first, ...others].some(isPermissive);
  return first.split(/\s+AND\s+/).every((one) => PERMISSIVE.has(one));
}

/** The package itself, or its build for one platform: `<name>-<platform>`. */
function isTolerated(name, licence) {
  return Object.entries(TOLERATED).some(
    ([tolerated, its]) => licence === its && (name === tolerated || name.startsWith(`${tolerated}-`)),
  );
}

function readJson(file) {
  return JSON.parse(readFileSync(file, 'utf8'));
}
