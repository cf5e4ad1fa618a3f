/** The scoreboard as a person reads it, in a terminal or in the README. */
import { cpus, release, totalmem } from 'node:os';

const SHOWN = 5;

export function printRow(row, figure, bare) {
  const met = figure.faults.length === 0;
  console.log(`${met ? '✓' : '✗'} ${row.promise}`);
  console.log(`    ${resultOf(figure)}; target: ${row.target}; ${seconds(figure)}`);
  if (bare) console.log(`    beside it, ${row.bare.of}: ${resultOf(bare)}`);
  for (const fault of figure.faults.slice(0, SHOWN)) console.log(`    ${fault.replaceAll('\n', '\n    ')}`);
  if (figure.faults.length > SHOWN) console.log(`    … and ${figure.faults.length - SHOWN} more`);
}

export function printMutation(row, guard, figure) {
  const seen = figure.faults.length > 0;
  console.log(
    `${seen ? '✓' : '✗'} ${row.name} without "${guard.says}": ${seen ? 'fails' : 'STILL PASSES'}, ${resultOf(figure)}, ${seconds(figure)}`,
  );
  if (seen) console.log(`    ${figure.faults[0].slice(0, 300).replaceAll('\n', '\n    ')}`);
}

export function asMarkdown(found, size) {
  const rows = found.map(
    ({ row, figure, bare }) =>
      `| ${row.promise} | ${row.target} | ${resultOf(figure)} | ${bare ? `${row.bare.of}: ${resultOf(bare)}` : ''} |`,
  );
  const [{ model }] = cpus();
  const machine = `${cpus().length} × ${model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GB, ${process.platform} ${release().split('-')[0]}, Node ${process.version}`;
  return [
    `${new Date().toISOString().slice(0, 10)}, \`npm run prove${size === 'large' ? ' -- --large' : ''}\`, ${machine}:`,
    '',
    '| promise | target | found | beside it |',
    '|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}

const resultOf = ({ tried, faults, also }) =>
  [`${tried} tried, ${faults.length} broken`, also].filter((part) => part !== undefined).join(', ');

const seconds = ({ seconds: took }) => `${took.toFixed(1)} s`;
