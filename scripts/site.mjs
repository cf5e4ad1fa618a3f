/** Builds the site of the pages into docs/.vitepress/dist, or serves it while they are written: `-- dev`. The program that builds it is fetched for that alone. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Not among the packages of this project: it would triple what everybody installs. */
const BUILDER = 'vitepress@1.6.4';
const root = fileURLToPath(new URL('..', import.meta.url));
const [command = 'build', ...rest] = process.argv.slice(2);

if (!['build', 'dev', 'preview'].includes(command)) {
  console.error(`There is no "${command}": build, dev or preview.`);
  process.exit(2);
}
const args = ['-y', '-p', BUILDER, '--', 'vitepress', command, 'docs', ...rest];
const { status, error } = spawnSync('npx', args, { cwd: root, stdio: 'inherit' });
if (error) console.error(`npx cannot be started: ${error.message}`);
process.exit(status ?? 1);
