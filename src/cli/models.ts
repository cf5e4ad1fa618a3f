/** pipeline models: what is configured, what was found, what stands behind `default`; asks no model anything. */

import { plainText } from '../core/plain-text.js';
import { hasErrors } from '../core/problems.js';
import { contextText, sightText, usd } from '../core/words.js';
import { problemsText } from '../load/report.js';
import { PROBE_TIMEOUT_MS } from '../providers/local-servers.js';
import { type Survey, type SurveyedModel, surveyModels } from '../providers/survey.js';
import { openProject } from '../run.js';
import { here, printJson, printResult, say } from './output.js';
import { table } from './table.js';
import { wrapped } from './wrapped.js';

export interface ModelsOptions {
  readonly json?: boolean;
  readonly detect?: boolean;
  readonly skillsDir: readonly string[];
}

const COLUMNS = 80;

export async function modelsCommand(options: ModelsOptions): Promise<void> {
  const { env } = process;
  const { config, problems } = openProject({ cwd: process.cwd(), env, skillsDirs: options.skillsDir });
  const survey = await surveyModels({
    roles: config.models,
    env,
    detect: options.detect !== false && config.detect,
    cwd: process.cwd(),
  });
  if (hasErrors(problems)) process.exitCode = 2;
  if (options.json) return printJson({ files: config.files, ...survey, problems });
  if (problems.length > 0) say(problemsText(problems, { cwd: process.cwd() }));
  printResult(surveyText(survey, config.files.map(here)));
}

/** @param files that the roles were read from */
export function surveyText(survey: Survey, files: readonly string[]): string {
  const roles = Object.entries(survey.roles);
  return [
    ...defaultLines(survey.default),
    '',
    ...(roles.length === 0
      ? ['No roles are configured: there is no pipeline.config.yaml, or no models in it.']
      : [`Roles, of ${files.join(', ')}`, ...roles.flatMap(([name, role]) => entry(name, role, role.fault?.message))]),
    '',
    'Keys in the environment',
    indented(table(Object.entries(survey.keys).map(([name, state]) => [name, state]))),
    '',
    ...serverLines(survey),
    '',
    'Prices: US dollars for a million tokens, in / out.',
    'To try one: pipeline models test <name>',
  ]
    .map((line) => wrapped(line, COLUMNS))
    .join('\n');
}

function defaultLines(model: Survey['default']): string[] {
  if (!('label' in model)) return [`default cannot be used: ${plainText(model.fault.message)}`];
  return [`default is ${plainText(model.label)}: ${model.reason}`, ...details(model).map((line) => `  ${line}`)];
}

function entry(name: string, model: SurveyedModel, fault: string | undefined): string[] {
  const host = model.host === '' ? '' : ` at ${plainText(model.host)}`;
  const about = [...details(model), ...(fault === undefined ? [] : [`✗ ${plainText(fault)}`])];
  return [`  ${name}  ${plainText(model.label)}${host}`, ...about.map((line) => `      ${line}`)];
}

function details({ key, price, images, contextTokens, fallback, host }: SurveyedModel): string[] {
  const known =
    host === ''
      ? [priceText(price)]
      : [
          KEYS[key],
          priceText(price),
          images === null ? 'images unknown' : sightText(images),
          contextTokens === null ? 'context unknown' : contextText(contextTokens),
        ];
  return [known.join(', '), ...(fallback.length === 0 ? [] : [`falls back to ${fallback.map(plainText).join(', ')}`])];
}

const KEYS = {
  set: 'key set',
  'not set': 'no key set',
  unneeded: 'no key needed',
  withheld: 'key for another host',
} as const satisfies Record<SurveyedModel['key'], string>;

function priceText(price: SurveyedModel['price']): string {
  if (price === null) return 'unpriced';
  return price.input === 0 && price.output === 0 ? 'free' : `${usd(price.input)} / ${usd(price.output)}`;
}

function serverLines({ servers }: Survey): string[] {
  if (!servers) return ['Servers on this machine were not looked for.'];
  const rows = servers.map(({ name, baseUrl, models }) => [
    name,
    new URL(baseUrl).host,
    models.length === 0 ? 'nothing found' : shortList(models.map(plainText)),
  ]);
  return [`Servers on this machine, asked for ${PROBE_TIMEOUT_MS} ms each`, indented(table(rows))];
}

function shortList(names: readonly string[]): string {
  const most = 3;
  return names.length <= most
    ? names.join(', ')
    : `${names.slice(0, most).join(', ')} (${names.length - most} more: --json)`;
}

function indented(text: string): string {
  return text.replace(/^/gm, '  ');
}
