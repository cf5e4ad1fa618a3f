import { describe, expect, it } from 'vitest';
import { loadText, places } from './arena.js';

const STEP = 'steps:\n  - id: a\n    set: { v: "${{ inputs.k.name }}" }\n';

describe('inputs', () => {
  it('may refer to the schema of a file', async () => {
    const { plan, problems } = await loadText(`inputs:\n  k: { $ref: k.json }\n${STEP}`, {
      'k.json': '{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}',
    });
    expect(problems).toEqual([]);
    expect(plan?.inputs).toMatchObject({
      properties: { k: { $ref: '#/$defs/k' } },
      required: ['k'],
      additionalProperties: false,
    });
  });

  it('may refer to each other, with defaults that are checked', async () => {
    const { problems } = await loadText(
      'inputs:\n  k: { type: object, properties: { name: { type: string } }, required: [name] }\n' +
        `  l: { $ref: "#/properties/k", default: { name: x } }\n  m: { $ref: "#/properties/k", default: {} }\n${STEP}`,
    );
    expect(places(problems)).toEqual(['input-default 4:41']);
  });
});
