/** What a person is shown before they agree to a skill, with the question. */
import { createInterface } from 'node:readline/promises';
import { Fault } from '../core/faults.js';
import { plainLines, plainText } from '../core/plain-text.js';
import type { Plan } from '../core/plan.js';
import { counted } from '../core/words.js';
import type { MayDo } from '../skills/may-do.js';
import type { SourceFile } from '../skills/tree.js';
import { saidColumns, say } from './output.js';
import { hanging, wrapped } from './wrapped.js';

const LABELS: Readonly<Record<MayDo['what'], string>> = {
  runs: 'runs',
  tool: 'tools',
  model: 'models',
  env: 'environment',
  network: 'network',
  reads: 'reads',
  writes: 'writes',
  publishes: 'publishes',
  skill: 'skills',
};
const SHOWN = 12;
/** Behind the labels. */
const HANG = 15;

/** Each command whole, the rest a line a kind. */
export function mayDoText(all: readonly MayDo[]): string {
  const columns = saidColumns();
  const lines: string[] = [];
  for (const one of all.filter(({ what }) => what === 'runs')) {
    lines.push(`  runs         step ${plainText(one.step ?? '')}, as you, with no sandbox:`);
    const script = plainLines(one.text.trimEnd());
    const shown = columns === undefined ? script : wrapped(script, Math.max(40, columns - 6));
    for (const line of shown.split('\n')) lines.push(`    | ${line}`);
  }
  for (const [what, label] of Object.entries(LABELS)) {
    const texts = [
      ...new Set(all.filter((one) => one.what === what && what !== 'runs').map(({ text }) => plainText(text))),
    ];
    if (texts.length > 0) lines.push(hanging(`  ${label.padEnd(12)} ${texts.join(', ')}`, columns, HANG));
  }
  return lines.length === 0 ? '  asks for nothing' : lines.join('\n');
}

export function filesText(files: readonly SourceFile[], folder: string): string {
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  const inside = files.map((file) => ({
    ...file,
    path: folder === '' ? file.path : file.path.slice(folder.length + 1),
  }));
  const programs = inside.filter((file) => file.isExecutable || file.path.startsWith('scripts/'));
  const names = programs.slice(0, SHOWN).map((file) => plainText(file.path));
  const more = programs.length > SHOWN ? ` and ${programs.length - SHOWN} more` : '';
  const said = `  files        ${counted(files.length, 'file')}, ${Math.ceil(bytes / 1024)} KB`;
  return names.length === 0
    ? said
    : `${said}\n${hanging(`  programs     ${names.join(', ')}${more}`, saidColumns(), HANG)}`;
}

export function planHead(plan: Plan, from: string): string {
  const description = plainText(plan.description).slice(0, 300);
  return [
    `${plainText(plan.name)}  ${plainText(from)}`,
    ...(description ? [hanging(`  ${description}`, saidColumns(), 2)] : []),
  ].join('\n');
}

/** Throws where nobody can be asked. @param undone what is said then to not have happened */
export async function agrees(question: string, yes: boolean, undone: string, signal: AbortSignal): Promise<boolean> {
  if (yes) return true;
  const { stdin, stderr, env } = process;
  if (!stdin.isTTY || !stderr.isTTY || env.CI) {
    throw new Fault('input.invalid', `Nobody can be asked here: ${undone}.`, {
      hint: 'Read what is said above; if you agree, give --yes.',
    });
  }
  const reader = createInterface({ input: stdin, output: stderr, terminal: true, historySize: 0 });
  reader.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  const left = new AbortController();
  reader.once('close', () => left.abort());
  try {
    const typed = await reader.question(`${question} [y/N] `, { signal: AbortSignal.any([signal, left.signal]) });
    return /^y(es)?$/i.test(typed.trim());
  } catch (error) {
    signal.throwIfAborted();
    if (left.signal.aborted) return false;
    throw error;
  } finally {
    reader.close();
  }
}

export function sayLeftOut(leftOut: readonly { readonly path: string; readonly why: string }[]): void {
  for (const { path, why } of leftOut.slice(0, SHOWN))
    say(`! ${plainText(path) || '.'} is left out: ${plainText(why)}.`);
  if (leftOut.length > SHOWN) say(`! ${leftOut.length - SHOWN} more are left out.`);
}
