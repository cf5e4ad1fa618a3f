/** Files that are made from a step's output by `save`. */
import { Fault } from '../core/faults.js';
import { isObject, type Json, sha256 } from '../core/json.js';
import type { Artifact } from '../core/outcome.js';
import type { Redactor } from '../core/secrets.js';
import { publishProblem } from '../files/names.js';
import type { Task } from './place.js';
import { refuseSecret } from './refuse-secret.js';
import { type RunRoots, renderIn } from './scope.js';

export interface Saved {
  readonly artifacts: readonly Artifact[];
  /** By path in the run folder. */
  readonly texts: ReadonlyMap<string, Uint8Array>;
}

export function saveFiles(
  task: Task,
  output: Json,
  roots: RunRoots,
  { placeholder, redactor }: { readonly placeholder: boolean; readonly redactor: Redactor | undefined },
): Saved {
  if (!task.saves || task.step.save.length === 0) return NOTHING;
  const texts = new Map<string, Uint8Array>();
  for (const { path, value } of task.step.save) {
    const name = renderIn(path, task.frame, roots, output);
    const target = `${task.prefix}${typeof name === 'string' ? name : JSON.stringify(name)}`;
    const why = publishProblem(target);
    if (why) throw new Fault('step.path', `save: "${target}" is not a path to publish at: ${why}`);
    if (texts.has(target)) throw new Fault('step.conflict', `save: two entries write ${target}`);
    const text = fileText(target, value ? renderIn(value, task.frame, roots, output) : output);
    refuseSecret(redactor?.find(target), 'the name of a file that it saves');
    refuseSecret(redactor?.find(text), `the file ${target} that it saves`);
    texts.set(target, Buffer.from(placeholder ? markPlaceholder(target, text) : text));
  }
  const artifacts = [...texts].map(
    ([path, bytes]): Artifact => ({ path, sha256: sha256(bytes), bytes: bytes.length, executable: false, saved: true }),
  );
  return { artifacts, texts };
}

const NOTHING: Saved = { artifacts: [], texts: new Map() };

/** A value as the file at `path` holds it: `.json` as JSON, text as it is, anything else as JSON. */
function fileText(path: string, value: Json): string {
  if (path.endsWith('.json') || isObject(value) || Array.isArray(value)) return `${JSON.stringify(value, null, 2)}\n`;
  const text = value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value);
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

const PLACEHOLDER_MARK =
  '> Placeholder text: written by `sketch`, the embedded model that only fills in forms. Set OPENAI_API_KEY, or see `pipeline.config.yaml` in the README, for a real one.\n\n';

/** First lines of a text file whose words came from the embedded placeholder model. */
function markPlaceholder(path: string, text: string): string {
  if (!/\.(md|txt)$/.test(path) || text === '' || /placeholder/i.test(text.slice(0, 600))) return text;
  return PLACEHOLDER_MARK + text;
}
