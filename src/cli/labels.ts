/** The labels of the last lines of a run: each line says by its first word what it is. */

/** How each stands before its text where no terminal has a column for them. */
const LABELS = {
  at: '  at     ',
  said: '  said   ',
  see: '  see    ',
  look: '  look   ',
  files: '  files  ',
  open: '  open   ',
  try: '  try    ',
  'choices:': '  choices: ',
  answer: '  answer ',
  'go on': '  go on  ',
  'go on in the same conversation': '  go on in the same conversation  ',
} as const;

/** Of a terminal, where all of them stand in one column. */
export const LABEL_COLUMNS = LABELS['go on'].length;

/** The longest first. Lines of problems have some of them too, with more room behind. */
const LABEL = new RegExp(`^ {2}(?:${Object.keys(LABELS).reverse().join('|')}) +`);

export function labelled(label: keyof typeof LABELS, text: string): string {
  return `${LABELS[label]}${text}`;
}

/** What a line begins with, room included; '' for one without a label. */
export function labelOf(line: string): string {
  return LABEL.exec(line)?.[0] ?? '';
}
