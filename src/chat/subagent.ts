/** The tool `spawn_subagent`: a model with instructions and files of its own, without this conversation; its answer becomes a file. */
import { closeSync, readFileSync } from 'node:fs';
import { isAbsolute, relative } from 'node:path';
import { converse } from '../agent/converse.js';
import type { ModelLine } from '../agent/model-line.js';
import type { StepContext } from '../core/context.js';
import { beginningOf } from '../core/excerpt.js';
import type { Json } from '../core/json.js';
import type { Message } from '../core/model.js';
import { oneLine } from '../core/plain-text.js';
import type { Tool } from '../core/tool.js';
import { writeFileAtomic } from '../files/atomic-write.js';
import { openRead, writeInside } from '../files/folder.js';
import { pathOf } from '../files/held.js';
import { fileNamed, withoutNote } from '../files/named.js';
import { answering, failure, locateWrite, text } from '../tools/access.js';
import { protectedHere } from './file-tools.js';

const NAME = 'spawn_subagent';
const MOST_INPUT_BYTES = 400 * 1024;

export interface SubagentParts {
  /** What it may be granted. */
  tools(): readonly Tool[];
  /** The models that it asks: a line of its own. */
  line(): ModelLine;
  /** The chat's context with what the sub-agent says shown as its own. */
  contextFor(context: StepContext, name: string): StepContext;
  readonly maxRounds: number;
  readonly idleTimeoutMs: number;
}

export function subagentTool(parts: SubagentParts): Tool {
  let count = 0;
  return {
    spec: {
      name: NAME,
      description:
        'Give a task to a sub-agent that knows nothing of this conversation: it has its own instructions, the files that you name, and only the tools that you list. ' +
        'Its answer is written to a file, and you get one line about it. Who judges a work should not be who made it: use one for each.',
      parameters: {
        type: 'object',
        properties: {
          task: { type: 'string', minLength: 1, description: 'What it is to do.' },
          system: { type: 'string', description: 'Its instructions: who it is, how it works.' },
          input_files: {
            type: 'array',
            items: { type: 'string' },
            description: 'Files of the project that it gets to read.',
          },
          output_file: {
            type: 'string',
            minLength: 1,
            description: 'The file of the project that its answer becomes.',
          },
          tools_allowlist: {
            type: 'array',
            items: { type: 'string' },
            description: 'Tools that it may call; none unless listed.',
          },
        },
        required: ['task', 'system', 'output_file'],
        additionalProperties: false,
      },
    },
    effect: 'process',
    execute: (args, context) =>
      answering(NAME, async () => {
        const { project } = context.folders;
        const output = text(args, 'output_file');
        const why = protectedHere(project, output);
        if (why) return failure(NAME, `${output} may not be written: ${why}.`);
        const inProject = { ...context, folders: { ...context.folders, work: project } };
        const { root } = locateWrite(inProject, output);
        const granted = grantedTools(listOf(args.tools_allowlist), parts.tools());
        if ('unknown' in granted) {
          const known = parts
            .tools()
            .map(({ spec }) => spec.name)
            .join(', ');
          return failure(NAME, `there is no tool ${JSON.stringify(granted.unknown)} for it.`, `There are: ${known}.`);
        }
        const inputs = readInputs(listOf(args.input_files), project);
        if ('problem' in inputs) return failure(NAME, inputs.problem);
        const task = text(args, 'task');
        const said = await converse(
          {
            system: text(args, 'system') || 'Do the task. Your answer is the content of a file: no other words.',
            tools: granted.tools,
            line: parts.line(),
            history: growing([{ role: 'user', text: [task, ...inputs.parts].join('\n\n') }]),
            maxRounds: parts.maxRounds,
            deadLoopWindow: 3,
            idleTimeoutMs: parts.idleTimeoutMs,
          },
          parts.contextFor(context, `subagent ${++count}`),
        );
        if (said.type === 'refused') return failure(NAME, `the sub-agent refused: ${beginningOf(said.text, 300)}`);
        const bytes = Buffer.from(context.redact(said.text));
        writeInside(root, isAbsolute(output) ? relative(pathOf(root), output) : output, (target, mode) =>
          writeFileAtomic(target, bytes, { durable: false, mode: mode ?? 0o600 }),
        );
        const cut = said.type === 'cut' ? ['its answer was cut off at the length limit'] : [];
        const done = `subagent_done: wrote ${output} (${bytes.length} bytes) | task: ${oneLine(task)}`;
        return { type: 'text', text: [done, ...cut, ...inputs.notes].join('\n') };
      }),
  };
}

function listOf(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

function grantedTools(
  names: readonly string[],
  tools: readonly Tool[],
): { readonly tools: readonly Tool[] } | { readonly unknown: string } {
  const unknown = names.find((name) => !tools.some(({ spec }) => spec.name === name));
  return unknown === undefined ? { tools: tools.filter(({ spec }) => names.includes(spec.name)) } : { unknown };
}

type Inputs = { readonly parts: readonly string[]; readonly notes: readonly string[] } | { readonly problem: string };

/** Each entry is a file that is there, or a note; one that looks like a path and is none is an error. */
function readInputs(entries: readonly string[], project: string): Inputs {
  const parts: string[] = [];
  const notes: string[] = [];
  let bytes = 0;
  for (const entry of entries) {
    const named = fileNamed(entry, [project]);
    if (named.type === 'missing')
      return { problem: `the input ${JSON.stringify(entry)} cannot be read: there is no such file.` };
    if (named.type === 'words') {
      if (withoutNote(entry) !== '') notes.push(`skipped the input ${JSON.stringify(entry)}: looks like a placeholder`);
      continue;
    }
    const file = openRead([project], named.path);
    try {
      bytes += file.bytes;
      if (bytes > MOST_INPUT_BYTES) return { problem: `the inputs are larger than ${MOST_INPUT_BYTES} bytes.` };
      parts.push(`The file ${relative(project, named.path)}:\n\n${readFileSync(file.fd, 'utf8')}`);
    } finally {
      closeSync(file.fd);
    }
  }
  return { parts, notes };
}

function growing(first: readonly Message[]) {
  const messages = [...first];
  return {
    messages: () => messages,
    add: (added: readonly Message[]) => void messages.push(...added),
    makeRoom: async () => undefined,
    makesRoomAfter: async () => false,
  };
}
