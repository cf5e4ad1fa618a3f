/** What an answer without tools must look like: said to the model, and read from its text. */
import { notJson } from '../core/excerpt.js';
import { isObject, type Json, type JsonObject, type JsonSchema, parseJson } from '../core/json.js';
import type { AnswerFormat } from '../core/model.js';
import { wrapForTool } from '../core/schema.js';

export type AnswerForm =
  /** The text itself; `schema` bounds it further. */
  | { readonly type: 'text'; readonly schema: JsonObject | undefined }
  | { readonly type: 'json'; readonly format: AnswerFormat; unwrap(value: Json): Json };

/** @param schema of the answer; undefined for any text */
export function answerForm(schema: JsonSchema | undefined): AnswerForm {
  if (isText(schema)) return { type: 'text', schema: isObject(schema) ? schema : undefined };
  const { parameters, unwrap } = wrapForTool(schema ?? true);
  return { type: 'json', format: { name: 'answer', schema: parameters }, unwrap };
}

/** Whether the answer is a text as it stands, and not JSON. */
export function isText(schema: JsonSchema | undefined): boolean {
  return schema === undefined || (isObject(schema) && schema.type === 'string');
}

/** For the system text. */
export function answerWords(form: AnswerForm): string {
  if (form.type === 'json') {
    return `Answer with one JSON value that matches this schema, and no other words:\n${JSON.stringify(form.format.schema)}`;
  }
  const words = 'Your whole text is the answer: say nothing around it.';
  const isBounded = Object.keys(form.schema ?? {}).some((key) => key !== 'type');
  return isBounded ? `${words} It is held to this schema of a text:\n${JSON.stringify(form.schema)}` : words;
}

/** Strict JSON, alone or as the one fenced block that the text is; of a text, what stands between its blank ends. */
export function readAnswer(
  text: string,
  form: AnswerForm,
  redact: (text: string) => string,
): { readonly value: Json } | { readonly problem: string } {
  const trimmed = text.trim();
  if (trimmed === '') return { problem: 'it is empty' };
  if (form.type === 'text') return { value: trimmed };
  const inner = /^```json[ \t]*\r?\n([\s\S]*)\r?\n```$/i.exec(trimmed)?.[1] ?? trimmed;
  try {
    return { value: form.unwrap(parseJson(inner)) };
  } catch (error) {
    return { problem: `it is not JSON: ${notJson(error, trimmed, redact)}` };
  }
}
