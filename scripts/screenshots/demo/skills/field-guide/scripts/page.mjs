/** From the entries on standard input to guide.md. */
import { readFileSync, writeFileSync } from 'node:fs';

const { title, entries } = JSON.parse(readFileSync(0, 'utf8'));
const known = entries.filter((entry) => entry !== null);
const pages = known.map(
  ({ name, length_cm, know_it_by }) =>
    `## ${name}, ${length_cm} cm\n\n${know_it_by.map((mark) => `- ${mark}\n`).join('')}`,
);
writeFileSync('guide.md', `# ${title}\n\n${pages.join('\n')}`);
