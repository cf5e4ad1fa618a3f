/** What is known of models by their names: whether they see images, how much a server lets them read. */
import type { ModelRole } from '../core/model-config.js';
import type { Environment } from './services.js';

/** Families that take images, wherever they are served: an id may stand behind a vendor's name, as in `openai/gpt-4o`. */
const SEEING: readonly RegExp[] = [
  /gpt-4o|gpt-4\.[1-9]|gpt-4-turbo|gpt-[5-9]|(^|\/)o[1-9](-|:|$)/,
  /claude-([3-9]|opus|sonnet|haiku)/,
  /gemini|gemma-?[34]/,
  /vision|(^|[-_.\d])vl([-_:.\d]|$)|qvq|llava|moondream|pixtral|minicpm-v|internvl|molmo/,
  /llama-?4|mistral-small-?3\.[12]|mistral-medium-3|grok-4/,
];

/** Members of those families that do not. */
const BLIND =
  /\bo1-(mini|preview)|\bo3-mini|-(audio|realtime|transcribe|tts|embedding)|gemma-?3n|gemma-?3[-:](270m|1b)/;

/** Undefined if its name does not tell. */
export function seesImages(id: string): boolean | undefined {
  const name = id.toLowerCase();
  if (BLIND.test(name)) return false;
  return SEEING.some((pattern) => pattern.test(name)) || undefined;
}

/** As its role says, else its name; undefined if neither does. */
export function sightOf({ images, model }: Pick<ModelRole, 'images' | 'model'>): boolean | undefined {
  return images ?? seesImages(model);
}

/** What Ollama reads of a conversation unless told otherwise. */
const OLLAMA_CONTEXT_TOKENS = 4_096;
const OLLAMA_PORT = '11434';

/** Tokens that a server lets a model have, whatever the model could; undefined for one that sets no such bound. */
export function contextOfServer(name: string, baseUrl: string, env: Environment): number | undefined {
  if (!isOllama(name, baseUrl)) return undefined;
  const set = Number(env.OLLAMA_CONTEXT_LENGTH);
  return Number.isSafeInteger(set) && set > 0 ? set : OLLAMA_CONTEXT_TOKENS;
}

/** Its port tells it, whatever it is called. It drops what is before the last tokens of its context without a word. */
export function isOllama(name: string, baseUrl: string): boolean {
  return name === 'ollama' || new URL(baseUrl).port === OLLAMA_PORT;
}
