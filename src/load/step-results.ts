/** Reads `assert` or `save`: what is done with the output of a step. */
import { compileText, type Template } from '../core/expression.js';
import { publishProblem } from '../files/names.js';
import type { DraftAssertion, DraftSave, PipelineReading } from './draft.js';
import { readFields } from './fields.js';
import { compileConditionNode, compileNode } from './templates.js';
import { traceScalar } from './yaml-offsets.js';
import { describeNode, isNull, type YamlNode, type YamlPair } from './yaml-tree.js';

export function readAsserts(pair: YamlPair | undefined, reading: PipelineReading): DraftAssertion[] {
  if (!pair || pair.value.type === 'broken') return [];
  if (pair.value.type !== 'list') {
    reading.notes.error(
      'wrong-type',
      pair.value.at,
      `"assert" must be a list of { that, message }, not ${describeNode(pair.value)}.`,
    );
    return [];
  }
  return pair.value.items.flatMap((item): DraftAssertion[] => {
    const fields = readFields(
      item,
      {
        what: 'an item of "assert"',
        keys: ['that', 'message'],
        aliases: { if: { key: 'that' }, expr: { key: 'that' }, error: { key: 'message' } },
      },
      reading,
    );
    if (!fields) return [];
    const that = fields.get('that');
    const message = fields.get('message');
    if (!that) reading.notes.error('missing-key', item.at, 'An item of "assert" needs "that".');
    if (!message)
      reading.notes.error('missing-key', item.at, 'An item of "assert" needs "message": it is what an agent is told.');
    if (message && message.value.type !== 'broken' && (message.value.type !== 'scalar' || isNull(message.value))) {
      reading.notes.error(
        'wrong-type',
        message.value.at,
        `"message" must be a text, not ${describeNode(message.value)}.`,
      );
    }
    return [
      {
        that: that && compileConditionNode(that.value, 'that', reading.notes),
        message: message
          ? compileNode(message.value, reading.notes)
          : { template: { type: 'literal', value: '' }, isWhole: false },
      },
    ];
  });
}

export function readSave(pair: YamlPair | undefined, reading: PipelineReading): DraftSave[] {
  if (!pair || pair.value.type === 'broken') return [];
  const { value } = pair;
  if (value.type === 'scalar' && typeof value.value === 'string') {
    checkSavePath(value.value, value, reading);
    return [{ path: compileNode(value, reading.notes).template, value: undefined, at: value.at }];
  }
  if (value.type !== 'map') {
    reading.notes.error(
      'wrong-type',
      value.at,
      `"save" must be a path or a mapping of paths to values, not ${describeNode(value)}.`,
    );
    return [];
  }
  return value.pairs.map((each) => {
    checkSavePath(each.key, each.keySpan, reading);
    return { path: keyTemplate(each, reading), value: compileNode(each.value, reading.notes), at: each.keySpan.at };
  });
}

function keyTemplate({ key, keySpan }: YamlPair, { notes, source }: PipelineReading): Template {
  const written = source.text.slice(keySpan.start, keySpan.end);
  const style = written.startsWith('"') ? 'double' : written.startsWith("'") ? 'single' : 'plain';
  const { offsets } = traceScalar(style, written);
  const compiled = compileText(key, (offset) => source.position(keySpan.start + (offsets[offset] ?? 0)));
  if ('template' in compiled) return compiled.template;
  notes.problems.push(...compiled.problems);
  return { type: 'literal', value: key };
}

function checkSavePath(path: string, { at }: { readonly at: YamlNode['at'] }, { notes }: PipelineReading): void {
  if (path.includes('${{')) return;
  const problem = publishProblem(path);
  if (problem)
    notes.error('save-path', at, `"${path}" cannot be saved: ${problem}.`, {
      hint: 'Write a path inside the run folder, such as phase0/result.json.',
    });
}
