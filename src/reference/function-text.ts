/** The functions of the expression language with what they take and give, from the table that evaluates them. */
import { type CelFunction, FUNCTIONS, METHODS } from '../core/functions.js';

export function functionTexts(): string {
  const functions = Object.entries(FUNCTIONS).map(
    ([name, fn]) => `\`${name}(${argumentsOf(fn.takes, fn)})\` → ${fn.gives}`,
  );
  const methods = Object.entries(METHODS).map(([name, fn]) => {
    const [receiver = '', ...rest] = fn.takes;
    return `\`${receiver}.${name}(${argumentsOf(rest, fn)})\` → ${fn.gives}`;
  });
  return `Functions: ${functions.join(', ')}.\n\nMethods: ${methods.join(', ')}.`;
}

/** What may be left out has a question mark. */
function argumentsOf(takes: readonly string[], { optional = 0 }: CelFunction): string {
  return takes.map((kind, index) => `${kind}${index >= takes.length - optional ? '?' : ''}`).join(', ');
}
