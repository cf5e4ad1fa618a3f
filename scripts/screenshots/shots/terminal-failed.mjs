/** A run that failed: what was wrong with the answer, what the model said, how to go on. */
import { fieldGuideModel } from '../field-guide-model.mjs';

export async function take(stage) {
  const spoilt = ['Grey heron', 'Kingfisher', 'Goldfinch'];
  const room = await stage.room({ answer: fieldGuideModel({ spoil: (name) => spoilt.includes(name) }) });
  const terminal = await stage.terminal({ room, columns: 100, rows: 34, title: 'birds' });
  terminal.type('pipeline run field-guide "between the houses"');
  await terminal.sees(/go on[^\n]*--rounds \+10[\s\S]*\n\$|go on[\s\S]*\n\$/);
  await stage.save('terminal-failed', terminal.picture());
}
