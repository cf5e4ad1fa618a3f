/** `adapter: command`: another agent's program; its standard output is the answer, put into the schema by a model if it must be. */
import { type AnswerForm, answerForm, answerWords, readAnswer } from '../agent/answer-form.js';
import { readTranscript } from '../agent/transcript.js';
import type { StepContext } from '../core/context.js';
import { Fault } from '../core/faults.js';
import type { KindResult } from '../core/kind.js';
import { type Brief, briefOf, readsOf } from './agent-brief.js';
import { type CommandConfig, PROMPT_FILE } from './agent-config.js';
import { askInForm, systemWith } from './agent-llm.js';
import { childEnvironment } from './child-env.js';
import { runStepProcess, stdoutOf, withoutLastNewline } from './process.js';

const EXTRACTION =
  'Put the text that you are given into the form of the answer. Take everything from the text; invent nothing, and change nothing that it says.';

export async function runCommand(config: CommandConfig, context: StepContext): Promise<KindResult> {
  const form = answerForm(context.step.output?.json);
  const systemOf = (instructions: string) => systemFor(instructions, form, context);
  const brief = briefOf(config, systemOf, 'named', context);
  await brief.written;
  const reads = readsOf(brief.reads, context);
  const asked = { system: systemWith(EXTRACTION, form), prompt: '', images: [] };
  const isTold = readTranscript(context.folders.transcript, context.stepKey) !== undefined;
  // The program had ended when the conversation about its text began.
  if (isTold) return { type: 'output', value: await askInForm(config, asked, form, context), reads };
  const text = await perform(config, brief, context);
  if (form.type === 'text') return { type: 'output', value: withoutLastNewline(text), reads };
  if (text.trim() === '') {
    throw new Fault('shell.output', 'the command printed nothing to standard output, where its answer is expected', {
      hint: 'Let the program print its last words there, or start it in the mode that does.',
    });
  }
  const read = readAnswer(text, form, context.redact);
  if ('value' in read) {
    const complaints = await context.judge(read.value);
    // Other complaints are about what was done, which no other words can mend.
    if (!complaints.some(({ from }) => from === 'schema')) return { type: 'output', value: read.value, reads };
  }
  return {
    type: 'output',
    value: await askInForm(config, { ...asked, prompt: context.redact(text) }, form, context),
    reads,
  };
}

function systemFor(instructions: string, form: AnswerForm, { step }: StepContext): string {
  const parts = [instructions.trim()];
  if (step.artifacts.length > 0) {
    parts.push(
      `Before you end, write these files into the folder in which you were started: ${step.artifacts.join(', ')}.`,
    );
  }
  parts.push(answerWords(form));
  return parts.filter((part) => part !== '').join('\n\n');
}

async function perform(config: CommandConfig, brief: Brief, context: StepContext): Promise<string> {
  const byFile = config.prompt_as === 'file';
  const { PIPELINE_OUTPUT: _, ...env } = childEnvironment(context, { PIPELINE_PROMPT_FILE: brief.file }).env;
  const argv = config.command.map((item) => (byFile && item === PROMPT_FILE ? brief.file : String(item)));
  const stdin = byFile ? undefined : brief.text;
  const exit = await runStepProcess({ argv, env, cwd: context.folders.work, stdin, isTaken: () => true }, context);
  return stdoutOf(exit);
}
