import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/load/config.js';
import { folder, places } from './arena.js';

const read = (text: string) => loadConfig({ projectDir: folder({ 'pipeline.config.yaml': text }) });

describe('pipeline.config.yaml', () => {
  it('gives models, limits of providers, detect and sandbox', () => {
    const { config, problems } = read(`models:
  default: { provider: openai, model: gpt-5-mini, temperature: 0.2, parameters: { top_k: 5 } }
  judge: { provider: anthropic, model: claude-sonnet-5, fallback: [default] }
  local: { provider: openai, base_url: "http://127.0.0.1:11434/v1", model: qwen3:8b, price: { input: 0, output: 0 } }
providers: { openai: { rpm: 500, tpm: 200000, max_parallel: 16 } }
detect: false
sandbox: off
`);
    expect(problems).toEqual([]);
    expect(config.models.get('default')).toMatchObject({
      model: 'gpt-5-mini',
      parameters: { temperature: 0.2, top_k: 5 },
    });
    expect(config.models.get('judge')?.fallback).toEqual(['default']);
    expect(config.models.get('local')).toMatchObject({
      baseUrl: 'http://127.0.0.1:11434/v1',
      price: { input: 0, output: 0 },
    });
    expect(config.providers.get('openai')).toEqual({ rpm: 500, tpm: 200_000, maxParallel: 16 });
    expect(config).toMatchObject({ detect: false, sandbox: 'off' });
  });

  it('gives what a model costs, sees and can read', () => {
    const { config, problems } = read(`models:
  default:
    provider: openai
    model: m
    price: { input: 2, output: 10, cached: 0.2, cache_write: 2.5 }
    images: true
    context: 128000
`);
    expect(problems).toEqual([]);
    expect(config.models.get('default')).toMatchObject({
      price: { input: 2, output: 10, cached: 0.2, cacheWrite: 2.5 },
      images: true,
      contextTokens: 128_000,
      parameters: {},
    });
  });

  it('takes a role that is nearly called default for a slip where there is no default', () => {
    expect(read('models:\n  defualt: { provider: openai, model: m }\n').problems).toMatchObject([
      { rule: 'config-role', at: { line: 2 }, hint: 'Did you mean "default"?' },
    ]);
    expect(read('models:\n  judge: { provider: openai, model: m }\n').problems).toEqual([]);
  });

  it('takes a provider that is nearly one of the known ones for a slip', () => {
    expect(read('models:\n  default: { provider: opnai, model: m }\n').problems).toMatchObject([
      { severity: 'error', rule: 'unknown-provider', at: { line: 2, column: 24 }, hint: 'Did you mean "openai"?' },
    ]);
    const dir = folder({ 'pipeline.config.yaml': 'models:\n  default: { provider: opnai, model: m }\n' });
    expect(loadConfig({ projectDir: dir, providers: ['opnai'] }).problems).toEqual([]);
  });

  it('has defaults where there is none', () => {
    const { config, problems } = loadConfig({ projectDir: folder({}) });
    expect(problems).toEqual([]);
    expect(config).toMatchObject({ detect: true, sandbox: 'auto', files: [] });
  });

  it('of the project wins over the one of the user, role by role', () => {
    const dir = folder({
      'p/pipeline.config.yaml': 'models:\n  default: { provider: a, model: near }\n',
      'home/.config/pipeline/pipeline.config.yaml':
        'models:\n  default: { provider: b, model: far }\n  judge: { provider: b, model: far }\nsandbox: off\n',
    });
    const { config } = loadConfig({ projectDir: path.join(dir, 'p'), homeDir: path.join(dir, 'home') });
    expect(config.models.get('default')?.model).toBe('near');
    expect(config.models.get('judge')?.model).toBe('far');
    expect(config.sandbox).toBe('off');
    const xdg = loadConfig({
      projectDir: path.join(dir, 'p'),
      homeDir: path.join(dir, 'home'),
      configHome: path.join(dir, 'none'),
    });
    expect(xdg.config.models.has('judge')).toBe(false);
  });

  it.each([
    ['modles: {}', 'unknown-key 1:1'],
    ['models:\n  default: { provider: openai }', 'missing-key 2:3'],
    ['models:\n  default: { provider: openai, model: 5 }', 'wrong-type 2:39'],
    ['models:\n  default: { provider: openai, model: m, api_key: sk-123456 }', 'unknown-key 2:42'],
    ['models:\n  default: { provider: openai, model: m, base_url: "ftp://x" }', 'base-url 2:52'],
    ['models:\n  default: { provider: openai, model: m, base_url: "https://u:p@x" }', 'base-url 2:52'],
    ['models:\n  default: { provider: openai, model: m, fallback: [jugde] }', 'unknown-model 2:3'],
    ['models:\n  default: { provider: openai, model: m, price: { input: 1 } }', 'missing-key 2:42'],
    ['models:\n  default: { provider: openai, model: m, images: "yes" }', 'wrong-type 2:50'],
    ['models:\n  default: { provider: openai, model: m, context: 0 }', 'out-of-bounds 2:51'],
    ['models:\n  Big-One: { provider: openai, model: m }', 'model-role 2:3'],
    ['providers: { openai: { rpm: 0 } }', 'out-of-bounds 1:29'],
    ['sandbox: no', 'not-allowed 1:10'],
    ['detect: "x"', 'wrong-type 1:9'],
    ['- a', 'wrong-type 1:1'],
    ['models: !x', 'yaml-tag 1:9'],
  ])('%j is %s', (text, problem) => {
    expect(places(read(text).problems)).toEqual([problem]);
  });

  it('never shows the value of a key', () => {
    const { problems } = read('models:\n  default: { provider: openai, model: m, api_key: sk-123456 }');
    expect(JSON.stringify(problems)).not.toContain('sk-123456');
    expect(problems[0]?.hint).toContain('OPENAI_API_KEY');
  });
});
