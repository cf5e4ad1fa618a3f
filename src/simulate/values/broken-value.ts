/** A value that its schema does not allow, most of the time. */
import { isObject, type Json } from '../../core/json.js';
import type { Draw } from '../choices/choices.js';

export function breakValue(value: Json, draw: Draw): Json {
  const ways = ['null', 'lost', 'more', 'type', 'text', 'list'] as const;
  const way = ways[draw.rarely(0.8, ways.length)];
  if (!isObject(value)) return way === 'text' ? 'nonsense' : way === 'list' ? [value] : null;
  const names = Object.keys(value);
  const name = names[draw.rarely(0.6, Math.max(1, names.length))] ?? '';
  const { [name]: _lost, ...rest } = value;
  switch (way) {
    case 'lost':
      return rest;
    case 'more':
      return { ...value, nobody_asked: true };
    case 'type':
      return { ...value, [name]: { wrong: [1] } };
    case 'text':
      return { ...value, [name]: 'nonsense that no list names' };
    case 'list':
      return { ...value, [name]: [] };
    default:
      return { ...value, [name]: null };
  }
}
