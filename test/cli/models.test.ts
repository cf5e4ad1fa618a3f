import { expect, it } from 'vitest';
import { surveyText } from '../../src/cli/models.js';
import { trialText } from '../../src/cli/models-test.js';
import type { Survey, SurveyedModel } from '../../src/providers/survey.js';
import type { Trial } from '../../src/providers/try-model.js';

const MODEL: SurveyedModel = {
  label: 'openai/gpt-5-mini',
  host: 'api.openai.com',
  key: 'set',
  price: { input: 0.25, output: 2 },
  images: true,
  contextTokens: 400_000,
  fallback: [],
};

const SURVEY: Survey = {
  roles: {
    default: { ...MODEL, fallback: ['judge'] },
    judge: {
      ...MODEL,
      label: 'anthropic/claude',
      host: 'api.anthropic.com',
      key: 'not set',
      price: null,
      images: null,
      contextTokens: null,
      fault: { code: 'provider.no_model', message: 'There is no key for api.anthropic.com.' },
    },
  },
  default: { ...MODEL, reason: 'the role "default" of the configuration' },
  keys: { OPENAI_API_KEY: 'set', ANTHROPIC_API_KEY: 'not set' },
  servers: [
    { name: 'ollama', baseUrl: 'http://127.0.0.1:11434/v1', models: ['a', 'b', 'c', 'd'] },
    { name: 'vllm', baseUrl: 'http://127.0.0.1:8000/v1', models: [] },
  ],
};

it('shows what is configured and found, within 80 columns', () => {
  const text = surveyText(SURVEY, ['pipeline.config.yaml']);
  expect(text).toMatchInlineSnapshot(`
    "default is openai/gpt-5-mini: the role "default" of the configuration
      key set, $0.25 / $2.00, sees images, context 400k

    Roles, of pipeline.config.yaml
      default  openai/gpt-5-mini at api.openai.com
          key set, $0.25 / $2.00, sees images, context 400k
          falls back to judge
      judge  anthropic/claude at api.anthropic.com
          no key set, unpriced, images unknown, context unknown
          ✗ There is no key for api.anthropic.com.

    Keys in the environment
      OPENAI_API_KEY     set
      ANTHROPIC_API_KEY  not set

    Servers on this machine, asked for 300 ms each
      ollama  127.0.0.1:11434  a, b, c (1 more: --json)
      vllm    127.0.0.1:8000   nothing found

    Prices: US dollars for a million tokens, in / out.
    To try one: pipeline models test <name>"
  `);
  expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
});

it('says that nothing is configured, and that nothing was looked for', () => {
  const { servers: _, ...survey } = SURVEY;
  const text = surveyText({ ...survey, roles: {} }, []);
  expect(text).toContain('No roles are configured');
  expect(text).toContain('Servers on this machine were not looked for.');
});

const TRIAL: Trial = {
  label: 'openai/m',
  host: 'far.example',
  placeholder: false,
  canRunAgents: true,
  checks: [
    { name: 'answers', holds: true, seen: 'in 812 ms' },
    { name: 'calls tools', holds: true, seen: 'resolve({"word":"ready"})' },
    { name: 'streams', holds: false, seen: '1 piece' },
  ],
  notices: ['The server refused it.\u001b[2J'],
  firstPieceMs: 320,
  usage: { inputTokens: 50, outputTokens: 10, cachedTokens: 0 },
  usd: 0.0001,
};

it('shows what a model can do, one line each, and nothing that a terminal would obey', () => {
  expect(trialText(TRIAL, { contextTokens: 1_050_000, sees: true })).toMatchInlineSnapshot(`
    "openai/m at far.example (context 1.05M, sees images)
    ✓ answers      in 812 ms
    ✓ calls tools  resolve({"word":"ready"})
    ✗ streams      1 piece
    first piece of text after 320 ms
    ! The server refused it.
    this cost $0.0001 (60 tokens)
    It can run agents."
  `);
});

it('shows what keeps a model from running agents', () => {
  const fault = { code: 'provider.refused', message: 'HTTP 400', hint: 'Take another model.' } as const;
  const text = trialText({ ...TRIAL, canRunAgents: false, usd: null, fault }, { contextTokens: null, sees: null });
  expect(text).toContain('It cannot run agents: HTTP 400.\n  try  Take another model.');
  expect(text).toContain('what this cost is not known (60 tokens)');
});
