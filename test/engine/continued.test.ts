import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { FAULTS, type FaultData } from '../../src/core/faults.js';
import type { Step } from '../../src/core/plan.js';
import { canGoOn, continued } from '../../src/engine/continued.js';
import type { GoOn, Keyed } from '../../src/engine/leaf-tools.js';
import { createPast } from '../../src/engine/past.js';
import { runDirAt } from '../../src/engine/run-dir.js';
import { began, failed, fault } from '../support/facts.js';

/** The step `g/a` after these facts, with a transcript and a kind that continues unless told otherwise. */
function place({ transcript = true, continues = true } = {}) {
  const dir = mkdtempSync(join(tmpdir(), 'continued-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const runDir = runDirAt(dir);
  const folders = runDir.step('g/a');
  mkdirSync(dirname(folders.transcript), { recursive: true });
  if (transcript) writeFileSync(folders.transcript, '');
  const past = createPast();
  const body = { type: 'leaf', inspection: { continues } };
  const task = { path: 'g/a', key: { hash: 'k' }, body } as Keyed;
  return {
    past,
    folders,
    step: { body } as Step,
    next: (goOn?: GoOn) => continued(task, { past, goOn, runDir }),
    fails(code: FaultData['code'], key = 'k') {
      past.remember(began('g/a', { key }));
      past.remember(failed('g/a', code, { key }));
    },
  };
}

const CODES = Object.keys(FAULTS) as FaultData['code'][];
const OUTSIDE = [
  ...['unreachable', 'overloaded', 'protocol', 'silent', 'refused', 'no_model'].map((name) => `provider.${name}`),
  'step.timeout',
  'step.silent',
];

describe('an attempt', () => {
  it('goes on after an interruption under the same key', () => {
    const { past, next } = place();
    expect(next()).toBeUndefined();
    past.remember(began('g/a', { key: 'other' }));
    expect(next()).toBeUndefined();
    past.remember(began('g/a'));
    expect(next()).toEqual({ after: 'interruption' });
  });

  it.each(CODES)('that failed with %s goes on by itself only if that came from outside', (code) => {
    const { fails, next } = place();
    fails(code);
    expect(next()).toEqual(OUTSIDE.includes(code) ? { after: 'failure', asked: undefined } : undefined);
  });

  it.each(CODES)('that failed with %s goes on at the word of a person if a conversation can', (code) => {
    const { fails, next, step, folders } = place();
    fails(code);
    const can = OUTSIDE.includes(code) || code.startsWith('agent.');
    const asked = { rounds: 2, fault: fault(code) };
    expect(next({ ids: 'g', rounds: 2, done: new Set() })).toEqual(can ? { after: 'failure', asked } : undefined);
    expect(canGoOn(step, fault(code), folders)).toBe(can);
  });

  it.each([{ transcript: false }, { continues: false }])('with %o begins anew, whatever befell it', (lacks) => {
    const { past, fails, next, step, folders } = place(lacks);
    past.remember(began('g/a'));
    expect(next()).toBeUndefined();
    for (const code of CODES) {
      fails(code);
      expect(next({ ids: '', rounds: 1, done: new Set() })).toBeUndefined();
      expect(canGoOn(step, fault(code), folders)).toBe(false);
    }
  });

  it('that failed under another key begins anew', () => {
    const { fails, next } = place();
    fails('provider.silent', 'other');
    expect(next({ ids: '', rounds: 1, done: new Set() })).toBeUndefined();
  });

  it('does not hear a word that was said to another step', () => {
    const { fails, next } = place();
    fails('agent.rounds');
    expect(next({ ids: 'g/b', rounds: 1, done: new Set() })).toBeUndefined();
    fails('provider.silent');
    expect(next({ ids: 'g/b', rounds: 1, done: new Set() })).toEqual({ after: 'failure', asked: undefined });
  });

  it('is told nothing of a failed service, unless rounds were granted', () => {
    const { fails, next } = place();
    fails('provider.silent');
    expect(next({ ids: 'g/a', rounds: 0, done: new Set() })).toEqual({ after: 'failure', asked: undefined });
  });
});

it('of a group nothing goes on', () => {
  const { folders } = place();
  expect(canGoOn({ body: { type: 'group', steps: [] } } as unknown as Step, fault('agent.rounds'), folders)).toBe(
    false,
  );
});
