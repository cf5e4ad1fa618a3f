/** A model server that answers from a fixture's turns.yaml, by the conversation alone: a resumed agent goes on where it was. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { JsonObject } from '../../src/core/json.js';
import { bodyOf, turn } from '../support/chat.js';
import { FIXTURES } from '../support/cli.js';
import type { MockReply, MockRequest } from '../support/mock-server.js';

interface Script {
  readonly agents: readonly { readonly match?: string; readonly turns: readonly Turn[] }[];
}

interface Turn {
  readonly text?: string;
  readonly calls: readonly { readonly name: string; readonly arguments: JsonObject }[];
}

/** @param fixture a folder of test/fixtures/pipelines with a turns.yaml */
export function scripted(fixture: string, delayMs = 0): (request: MockRequest) => MockReply {
  const { agents } = parse(readFileSync(join(FIXTURES, 'pipelines', fixture, 'turns.yaml'), 'utf8')) as Script;
  return (request) => {
    const { messages } = bodyOf(request);
    const asked = messages.map((message) => message.content).join('\n');
    const answered = messages.filter((message) => message.role === 'assistant').length;
    const agent = agents.find(({ match }) => match === undefined || asked.includes(match));
    const next = agent?.turns[answered];
    if (!next) return { status: 400, body: '{"error":{"message":"the script has no such turn"}}' };
    const calls = next.calls.map(({ name, arguments: args }) => ({ name, args }));
    return { ...turn(next.text === undefined ? { calls } : { text: next.text, calls }), delayMs };
  };
}

/** What makes the built program ask this server. */
export function askingAt(url: string): Readonly<Record<string, string>> {
  return { OPENAI_BASE_URL: url, OPENAI_API_KEY: 'a-key', OPENAI_MODEL: 'm' };
}
