/** A stream as the openai SDK reads it by itself, over a fetch that gives these pieces, its chunks joined as its guide to function calling joins them. */
import OpenAI from 'openai';

export interface BareReading {
  readonly text: string;
  readonly calls: readonly { readonly name: string; readonly arguments: string }[];
}

/** @returns its error as a text when it refuses the stream */
export async function readBare(pieces: readonly Uint8Array[]): Promise<BareReading | string> {
  const client = new OpenAI({
    apiKey: 'none',
    baseURL: 'http://127.0.0.1/v1',
    maxRetries: 0,
    logLevel: 'off',
    fetch: async () => new Response(bodyOf(pieces), { headers: { 'content-type': 'text/event-stream' } }),
  });
  try {
    const stream = await client.chat.completions.create({ model: 'm', messages: [], stream: true });
    let text = '';
    const calls: { name: string; arguments: string }[] = [];
    for await (const { choices } of stream) {
      const delta = choices[0]?.delta;
      text += delta?.content ?? '';
      for (const { index, function: body } of delta?.tool_calls ?? []) {
        const call = calls[index] ?? { name: body?.name ?? '', arguments: '' };
        call.arguments += body?.arguments ?? '';
        calls[index] = call;
      }
    }
    return { text, calls };
  } catch (error) {
    return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  }
}

function bodyOf(pieces: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  let next = 0;
  return new ReadableStream({
    pull(controller) {
      const piece = pieces[next++];
      if (piece) controller.enqueue(piece);
      else controller.close();
    },
  });
}
