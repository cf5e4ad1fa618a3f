/** Which command lines a grant such as `shell(git log *)` allows. */

/** Outside single quotes, what would start another command, expand or redirect. */
const CONTROL = /[;&|<>`$()\n\r\\]|(^|\s)[~#!]/;

/** True if one rule covers the whole line. Only a simple command can be covered: `git log; id` never is. */
export function ruleAllows(rules: readonly string[], command: string): boolean {
  const line = command.trim();
  if (!isSimple(line)) return false;
  return rules.some((rule) => matchesRule(rule.trim(), line));
}

/** `git log *`: these words, then anything; `git log:*` is the same; without a star: exactly this line. */
function matchesRule(rule: string, line: string): boolean {
  const words = line.split(/\s+/);
  const wanted = rule.replace(/:\*$/, ' *').split(/\s+/);
  const open = wanted.at(-1) === '*';
  if (open) wanted.pop();
  if (open ? words.length < wanted.length : words.length !== wanted.length) return false;
  return wanted.every((word, i) => word === '*' || word === words[i]);
}

function isSimple(line: string): boolean {
  const unquoted = line.replace(/'[^']*'/g, 'q');
  return line !== '' && !unquoted.includes("'") && !CONTROL.test(unquoted) && !/^\w+=/.test(line);
}
