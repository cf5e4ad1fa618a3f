/** What a form of ours sends, within bounds. */
import { Fault } from '../core/faults.js';
import type { Door } from './door.js';

/** A query and inputs, written as a form does it: up to three characters for a byte. */
const MAX_BYTES = 1024 * 1024;

/** By name; of several values the last. Throws `input.invalid`, and `run.forbidden` for a form that has not our key. */
export async function sentForm(request: Request, { isFormKey }: Door): Promise<ReadonlyMap<string, string>> {
  const type = request.headers.get('content-type') ?? '';
  if (!/^application\/x-www-form-urlencoded(;|$)/i.test(type)) {
    throw new Fault('input.invalid', `A form of this page sends application/x-www-form-urlencoded, not "${type}"`);
  }
  const sent = new Map(new URLSearchParams(await textIn(request)));
  if (!isFormKey(sent.get('key') ?? '')) {
    throw new Fault('run.forbidden', 'The form is not one of this session: nothing was done.', {
      hint: 'Load its page anew, then send it again.',
    });
  }
  for (const [name, value] of sent) {
    if (!value.includes('\0')) continue;
    throw new Fault('input.invalid', `The field "${name}" holds a NUL character, which no program can be given.`, {
      hint: 'Go back and remove it.',
    });
  }
  return sent;
}

async function textIn({ body }: Request): Promise<string> {
  if (!body) return '';
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of body as unknown as AsyncIterable<Uint8Array>) {
    bytes += piece.length;
    if (bytes > MAX_BYTES) throw new Fault('input.invalid', `The form is larger than ${MAX_BYTES} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}
