/** Source `model_knowledge`: what a model recalled in a step of the pipeline; a script never holds a provider's key. */
import { toPaper } from '../records.mjs';

const NOTE = 'recalled by a model, not looked up';
const HOW = 'a step of the pipeline recalls it: pipeline run paper-search "<query>" --input sources=model_knowledge';

export async function search({ recalled, maxPapers, inYears }) {
  if (process.env.PIPELINE_PLACEHOLDER === '1') throw new Error('no language model is configured, so none recalled');
  if (recalled === undefined) throw new Error(HOW);
  if (!Array.isArray(recalled?.papers)) throw new Error('the step that recalls papers gave none');
  const papers = recalled.papers.map((record) => toPaper(record, 'model_knowledge'));
  return { papers: papers.filter((paper) => paper && inYears(paper)).slice(0, maxPapers), note: NOTE };
}
