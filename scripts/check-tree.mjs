/** What is wrong with the tree of files: generated ones that are tracked, sources that have grown long. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const MAX_LINES = 300;
const GENERATED = /(^|\/)(node_modules|dist|coverage|\.steps)\/|\.(tmp|tsbuildinfo|cpuprofile|log)$|(^|\/)\.DS_Store$/;

/** Of the files that git tracks, those that .gitignore names or that a tool makes. */
export function generatedProblems(root) {
  const tracked = gitFiles(root, []);
  if (tracked === undefined) return [];
  const ignored = gitFiles(root, ['--cached', '--ignored', '--exclude-standard']) ?? [];
  const found = new Set([...ignored, ...tracked.filter((file) => GENERATED.test(file))]);
  return [...found]
    .filter((file) => !file.startsWith('test/fixtures/'))
    .map((file) => `${file} is generated, but tracked: git rm --cached ${file}`);
}

export function lengthNotices(root) {
  return readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => ({ file, lines: readFileSync(join(root, 'src', file), 'utf8').split('\n').length - 1 }))
    .filter(({ lines }) => lines > MAX_LINES)
    .map(({ file, lines }) => `src/${file} has ${lines} lines; above ${MAX_LINES} it does too much`);
}

/** Undefined where there is no repository, as in an unpacked archive. */
function gitFiles(root, options) {
  try {
    const output = execFileSync('git', ['ls-files', '-z', ...options], {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return output.split('\0').filter((file) => file !== '');
  } catch {
    return undefined;
  }
}
