import { expect, it } from 'vitest';
import { meaningOf, meaningOfFlag } from '../../src/providers/meaning.js';

const JUDGE = { provider: 'openai', model: 'm' };
const KNOWN = { roles: new Map([['judge', JUDGE]]), cwd: '/' };

it.each([
  ['judge', { type: 'role', name: 'judge', role: JUDGE }],
  ['sketch', { type: 'sketch' }],
  ['ollama/a/b', { type: 'id', provider: 'ollama', model: 'a/b' }],
])('%s means the same for a step and for --model', (name, meaning) => {
  expect(meaningOf(name, KNOWN)).toEqual(meaning);
  expect(meaningOfFlag(name, KNOWN)).toEqual(meaning);
});

it('takes of a step what the environment gives, and a role that nobody has configured', () => {
  expect(meaningOf('default', KNOWN)).toEqual({ type: 'default' });
  expect(meaningOf('constructor', KNOWN)).toEqual({ type: 'unconfigured' });
});

it.each([
  ['nonsense', '"nonsense" names no model.'],
  ['constructor', '"constructor" names no model.'],
  ['openai/', '"openai/" has no model id.'],
  ['opnai/x', '"opnai" is not a provider; known are openai, anthropic, ollama, lmstudio, llamacpp, vllm, sketch.'],
  ['/x', '"" is not a provider'],
  ['constructor/x', '"constructor" is not a provider'],
  ['script:/nowhere/turns.yaml', 'There is no script /nowhere/turns.yaml.'],
])('refuses --model %s', (flag, message) => {
  expect(() => meaningOfFlag(flag, { ...KNOWN, providers: {} })).toThrow(message);
});

it('takes a provider of the program, whole or asked for one of its models', () => {
  const own = { name: 'own', complete: () => Promise.reject(new Error('unused')) };
  const known = { ...KNOWN, providers: { own } };
  expect(meaningOfFlag('own', known)).toEqual({ type: 'program', provider: own });
  expect(meaningOfFlag('own/m', known)).toEqual({ type: 'id', provider: 'own', model: 'm' });
  expect(() => meaningOfFlag('own', KNOWN)).toThrow('names no model');
});
