/** pipeline transcript: the conversation of an agent step of a run, as Markdown or JSON. */
import fs from 'node:fs';
import { quoted, readSaid } from '../agent/said.js';
import { messageMarkdown } from '../chat/markdown.js';
import { Fault } from '../core/faults.js';
import { counted } from '../core/words.js';
import { runDirAt } from '../engine/run-dir.js';
import { namedRun } from './named-run.js';
import { printJson, printResult } from './output.js';
import { runSteps } from './run-steps.js';
import { stepMeantIn } from './show-step.js';

export interface TranscriptOptions {
  readonly max: number;
  readonly json?: boolean;
}

export function transcriptCommand(run: string, step: string, { max, json }: TranscriptOptions): void {
  const dir = namedRun(run);
  const { path } = stepMeantIn(runSteps(dir), step);
  const { transcript } = runDirAt(dir).step(path);
  const said = readSaid(transcript);
  if (!said) {
    const hint = fs.existsSync(transcript) ? undefined : `pipeline show ${run} ${step} says what it did.`;
    throw new Fault('input.unknown', `step "${path}" has no conversation`, hint === undefined ? {} : { hint });
  }
  const { model, system, messages, leftOut } = quoted(said, max);
  if (json) {
    printJson({ step: path, model, system, messages, leftOut });
    return;
  }
  const [first, ...rest] = messages.map((message) => messageMarkdown(message, 'Prompt'));
  const gap =
    leftOut.characters === 0
      ? []
      : [
          `[${counted(leftOut.messages, 'message')}, ${counted(leftOut.characters, 'character')} left out: --max 0 shows all]`,
        ];
  const head = [`# ${path}`, `Model: ${model}`, '## System', system];
  printResult([...head, first ?? '', ...gap, ...rest].join('\n\n'));
}
