/** The small working skills that `pipeline init` writes, one for each way in which a skill can run. */
import { nextLoopFiles } from './next-loop.js';
import { singleFiles } from './single.js';
import { stepsFiles } from './steps.js';

/** Path below the skill's folder → text. */
type Files = Readonly<Record<string, string>>;

/** @param yamlName the name as YAML has it; `schemaPath`: of the editor's schema, relative to the skill's folder */
const TEMPLATES = {
  steps: stepsFiles,
  single: singleFiles,
  'next-loop': nextLoopFiles,
} as const satisfies Readonly<Record<string, (name: string, yamlName: string, schemaPath: string) => Files>>;

export type TemplateName = keyof typeof TEMPLATES;

export const TEMPLATE_NAMES = Object.keys(TEMPLATES) as TemplateName[];

/**
 * @param name a skill's name: lower-case letters, digits, single hyphens
 * @param schemaPath of the editor's schema, relative to the skill's folder
 */
export function starterFiles(template: TemplateName, name: string, schemaPath: string): Files {
  const yamlName = /^(null|true|false|yes|no|on|off|[yn])$/.test(name) ? `"${name}"` : name;
  return TEMPLATES[template](name, yamlName, schemaPath);
}
