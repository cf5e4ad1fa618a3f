/** The run in the terminal: in mid-run and at the end, 100 and 40 columns wide. */
import { fieldGuideModel } from '../field-guide-model.mjs';

const SIZES = [
  { columns: 100, rows: 36 },
  { columns: 40, rows: 44 },
];

export async function take(stage) {
  for (const { columns, rows } of SIZES) {
    let release;
    const held = new Promise((resolve) => {
      release = resolve;
    });
    const late = ['Nuthatch', 'Jackdaw', 'Goldfinch'];
    const room = await stage.room({
      answer: fieldGuideModel({ hold: (name) => (late.includes(name) ? held : undefined) }),
    });
    const terminal = await stage.terminal({ room, columns, rows, title: 'birds' });
    terminal.type('pipeline run field-guide "between the houses"');
    await terminal.sees(/\b6\/12/);
    await terminal.sees(/entries\/8[\s\S]*thistles/i);
    await stage.save(`terminal-run-${columns}`, terminal.picture());
    release();
    await terminal.sees('of your choice');
    terminal.type('1');
    await terminal.sees('Comment');
    terminal.type('Ready for spring.');
    await terminal.sees(/"title"[\s\S]*\n\$/);
    await stage.save(`terminal-end-${columns}`, terminal.picture());
  }
}
