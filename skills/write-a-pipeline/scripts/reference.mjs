/** Prints the reference of the format as the program has it, with whether a model that can write answers in this run. */
import { ask } from './program.mjs';

const { code, stdout, stderr } = ask('reference');
if (code !== 0) {
  console.error(`pipeline reference ended with ${code}: ${stderr}`);
  process.exit(1);
}
const words = process.env.PIPELINE_PLACEHOLDER === '1' ? 'placeholder' : 'model';
console.log(JSON.stringify({ text: stdout, words }));
