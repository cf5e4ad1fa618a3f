/** pipeline config: the settings that count here; --explain says where each comes from. What a key holds is never told. */
import type { Json } from '../core/json.js';
import { plainText } from '../core/plain-text.js';
import { hasErrors } from '../core/problems.js';
import { type FileSetting, fileSettings } from '../load/config-settings.js';
import type { Project } from '../load/open-project.js';
import { runsDirOf } from '../load/project.js';
import { problemsText } from '../load/report.js';
import { skillRoots } from '../load/skill-names.js';
import { roleAddress } from '../providers/addresses.js';
import { isLoopback } from '../providers/http.js';
import { type Environment, keyFor, SERVICES, type Service, serviceOf, settingsOf } from '../providers/services.js';
import { openProject } from '../run.js';
import { here, printJson, printResult, resultColumns, say } from './output.js';
import { table } from './table.js';

type From =
  | { readonly type: 'file'; readonly file: string; readonly line: number }
  | { readonly type: 'environment'; readonly variable: string }
  | { readonly type: 'option'; readonly option: string }
  | { readonly type: 'default' };

interface Setting {
  readonly name: string;
  readonly value: Json;
  readonly from: From;
  /** Another place decides it. */
  readonly overridden?: true;
}

interface ConfigOptions {
  readonly explain?: boolean;
  readonly json?: boolean;
  readonly skillsDir: readonly string[];
}

export function configCommand(options: ConfigOptions): void {
  const { env } = process;
  const project = openProject({ cwd: process.cwd(), env, skillsDirs: options.skillsDir });
  const { problems } = project;
  const settings = settingsHere(project, options.skillsDir, env);
  if (hasErrors(problems)) process.exitCode = 2;
  if (options.json) {
    printJson({ project: project.dir, files: project.config.files, settings, problems });
    return;
  }
  if (problems.length > 0) say(problemsText(problems, { cwd: process.cwd() }));
  const shown = options.explain ? settings : settings.filter(({ overridden }) => !overridden);
  const rows = shown.map((setting) => [
    plainText(setting.name),
    plainText(textOf(setting.value)),
    ...(options.explain ? [`${fromText(setting)}${setting.overridden ? ', overridden' : ''}`] : []),
  ]);
  printResult(table(rows, resultColumns()));
}

function settingsHere(project: Project, skillsDirs: readonly string[], env: Environment): Setting[] {
  const { config, dir, places } = project;
  const ofFiles = fileSettings(config.files);
  const isSaid = (name: string) => ofFiles.some((setting) => setting.name === name && !setting.overridden);
  const standard: Setting[] = [
    { name: 'detect', value: config.detect, from: { type: 'default' } },
    { name: 'sandbox', value: config.sandbox, from: { type: 'default' } },
  ];
  return [
    { name: 'project', value: dir, from: { type: 'default' } },
    { name: 'runs', value: runsDirOf(dir), from: { type: 'default' } },
    ...skillRoots(places).map((root): Setting => {
      const isGiven = skillsDirs.includes(root);
      return {
        name: 'skills',
        value: root,
        from: isGiven ? { type: 'option', option: '--skills-dir' } : { type: 'default' },
      };
    }),
    ...ofFiles.map(fromFile),
    ...standard.filter(({ name }) => !isSaid(name)),
    ...[...config.models].flatMap(([name, role]) => serviceSettings(`models.${name}`, role, env)),
    ...environmentSettings(env),
  ];
}

function fromFile({ name, value, at, overridden }: FileSetting): Setting {
  const from = { type: 'file', file: at.file, line: at.line } as const;
  return { name, value: masked(name, value), from, ...(overridden ? { overridden } : {}) };
}

/** Where a role's model is asked, and whether a key goes there. */
function serviceSettings(
  name: string,
  role: { readonly provider: string; readonly baseUrl?: string },
  env: Environment,
): Setting[] {
  const url = roleAddress(role, env);
  if (url === undefined || !URL.canParse(url)) return [];
  const service = serviceOf(role.provider);
  const { prefix, url: given } = settingsOf(service, env);
  const isOwn = role.provider === service.name;
  const from: From =
    isOwn && given !== undefined ? { type: 'environment', variable: `${prefix}_BASE_URL` } : { type: 'default' };
  return [
    ...(role.baseUrl === undefined ? [{ name: `${name}.base_url`, value: withoutCredentials(url), from }] : []),
    keySetting(`${name}.key`, service, url, env),
  ];
}

function keySetting(name: string, service: Service, url: string, env: Environment): Setting {
  const { prefix, key } = settingsOf(service, env);
  const from = { type: 'environment', variable: `${prefix}_API_KEY` } as const;
  if (keyFor(service, url, env) !== undefined) return { name, value: 'set', from };
  if (isLoopback(new URL(url).hostname)) return { name, value: 'not needed', from: { type: 'default' } };
  return { name, value: key === undefined ? 'not set' : 'withheld: it belongs to another host', from };
}

/** Variables that decide something, as far as they are set; of keys, whether they are. */
function environmentSettings(env: Environment): Setting[] {
  const services = SERVICES.map((service) => settingsOf(service, env).prefix);
  const keys = services.map((prefix) => `${prefix}_API_KEY`);
  const open = [
    ...services.flatMap((prefix) => [`${prefix}_BASE_URL`, `${prefix}_MODEL`]),
    'XDG_CONFIG_HOME',
    'GITHUB_STEP_SUMMARY',
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
  ];
  const setting = (variable: string, value: string): Setting => {
    return { name: variable, value, from: { type: 'environment', variable } };
  };
  return [
    ...keys.map((name) => setting(name, env[name] ? 'set' : 'not set')),
    ...open.flatMap((name) => (env[name] ? [setting(name, withoutCredentials(env[name]))] : [])),
  ];
}

/** No key belongs into a file: where one stands in it all the same, it is not shown. */
function masked(name: string, value: Json): Json {
  if (/(^|[._])(api_?key|key|secret|password|passwd|token)$/i.test(name)) return 'masked';
  return typeof value === 'string' ? withoutCredentials(value) : value;
}

function withoutCredentials(text: string): string {
  return text.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#\s]*@/i, '$1');
}

function textOf(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function fromText({ name, from }: Setting): string {
  switch (from.type) {
    case 'file':
      return `${here(from.file)}:${from.line}`;
    case 'environment':
      return from.variable === name ? 'environment' : from.variable;
    case 'option':
      return from.option;
    case 'default':
      return 'default';
  }
}
