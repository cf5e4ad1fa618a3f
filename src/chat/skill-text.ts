/** A skill's text as a model of a chat gets it, marked so that it is found again when old turns give way. */
import type { Message } from '../core/model.js';
import type { Skill } from '../core/plan.js';

/** Longer texts are looked up by the model when it needs them. */
const INLINE_CHARACTERS = 4_000;

const NO_QUESTIONS =
  'Contract of this skill: no questions. A vague direction is its job: infer what is missing, say what you inferred, and ask nothing before the end.';

/** @param notes of REACT_AGENT.md; '' for none */
export function skillText({ name, body, metadata }: Skill, notes: string): string {
  const parts = [body.trim(), notes.trim(), metadata.contract === 'no-questions' ? NO_QUESTIONS : ''];
  return `<skill name=${JSON.stringify(name)}>\n${parts.filter((part) => part !== '').join('\n\n')}\n</skill>`;
}

/** What stands for `/<skill> <args>`. @param notes as in `skillText` */
export function expanded(skill: Skill, args: string, notes: string): string {
  const asked = args === '' ? 'No more was said.' : `What is asked: ${args}`;
  const run =
    skill.runsAs === 'agent'
      ? ''
      : `\nIt runs as a pipeline: call ${pipelineToolName(skill.name)} with the query, and report what comes back.`;
  if (skill.runsAs === 'agent' && isInline(skill))
    return `Do what the skill "${skill.name}" says, given here.\n${asked}\n\n${skillText(skill, notes)}`;
  const contract = skill.metadata.contract === 'no-questions' ? `\n${NO_QUESTIONS}` : '';
  const look = run === '' ? `\nRead it with skill_view(name: ${JSON.stringify(skill.name)}) and follow it.` : run;
  return `Use the skill "${skill.name}".${look}\n${asked}${contract}`;
}

export function pipelineToolName(skill: string): string {
  return `run_${skill.replace(/[^A-Za-z0-9]+/g, '_')}_pipeline`;
}

function isInline({ body, metadata }: Skill): boolean {
  if (metadata.expand === 'inline') return true;
  return metadata.expand !== 'reference' && body.length <= INLINE_CHARACTERS;
}

const BLOCK = /<skill name="([^"\n]*)">\n[\s\S]*\n<\/skill>/;

/** The skill that a message holds; what a file or a command says is none. */
export function skillIn(message: Message): { readonly name: string; readonly block: string } | undefined {
  const isOurs = message.role === 'user' || (message.role === 'tool' && message.name === 'skill_view');
  const [block, name = ''] = (isOurs && BLOCK.exec(message.text)) || [];
  return block === undefined ? undefined : { name, block };
}
