import { expect, it } from 'vitest';
import { contextOfServer, seesImages } from '../../src/providers/abilities.js';

it.each([
  'gpt-4o',
  'gpt-4o-mini-2024-07-18',
  'gpt-4.1-nano',
  'gpt-5-mini',
  'openai/gpt-5',
  'o1',
  'o3',
  'o4-mini',
  'claude-3-haiku-20240307',
  'claude-sonnet-5-5',
  'anthropic/claude-opus-4',
  'gemini-2.5-pro',
  'qwen2.5vl:7b',
  'Qwen/Qwen2.5-VL-72B-Instruct',
  'qwen3-vl:8b',
  'llama3.2-vision:11b',
  'llava:13b',
  'pixtral-12b',
  'gemma3:4b',
])('%s is known to see', (id) => {
  expect(seesImages(id)).toBe(true);
});

it.each(['o1-mini', 'o3-mini', 'gpt-4o-transcribe', 'gpt-4o-audio-preview', 'gemma3:1b'])(
  '%s is known not to see',
  (id) => {
    expect(seesImages(id)).toBe(false);
  },
);

it.each(['qwen3:8b', 'deepseek-chat', 'gpt-3.5-turbo', 'gpt-oss:20b', 'claude-2.1', 'foo3', 'evlive', 'm'])(
  'the name of %s does not tell',
  (id) => {
    expect(seesImages(id)).toBeUndefined();
  },
);

it('knows how much Ollama reads, wherever it is, and what the environment sets', () => {
  expect(contextOfServer('ollama', 'http://127.0.0.1:11434/v1', {})).toBe(4_096);
  expect(contextOfServer('openai', 'http://127.0.0.1:11434/v1', {})).toBe(4_096);
  expect(contextOfServer('ollama', 'http://host:80/v1', { OLLAMA_CONTEXT_LENGTH: '32768' })).toBe(32_768);
  expect(contextOfServer('ollama', 'http://host:80/v1', { OLLAMA_CONTEXT_LENGTH: 'much' })).toBe(4_096);
  expect(contextOfServer('openai', 'https://api.openai.com/v1', {})).toBeUndefined();
});
