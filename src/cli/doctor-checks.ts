/** What pipeline doctor looks at: one finding a thing, with what to do about it. Changes nothing, asks no model. */
import { accessSync, constants, statfsSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { Sandbox } from '../core/context.js';
import { oneLine } from '../core/plain-text.js';
import type { Problem } from '../core/problems.js';
import { SERVICE_NAMES, variablePrefix } from '../core/provider-names.js';
import type { Config } from '../load/config.js';
import type { Project } from '../load/open-project.js';
import { runsDirOf } from '../load/project.js';
import { discoverSkills } from '../load/skills.js';
import type { Opener } from '../machine.js';
import type { Reached } from '../providers/reach.js';
import type { Environment } from '../providers/services.js';
import type { Survey } from '../providers/survey.js';
import { here } from './output.js';

export interface Finding {
  readonly check:
    | 'node'
    | 'bash'
    | 'git'
    | 'sandbox'
    | 'config'
    | 'keys'
    | 'default'
    | 'reach'
    | 'skills'
    | 'runs'
    | 'browser'
    | 'locale';
  /** `fail`: nothing can start. */
  readonly state: 'ok' | 'warn' | 'fail';
  readonly text: string;
  readonly remedy?: string;
}

const LEAST_NODE = [20, 19] as const;
const LITTLE_BYTES = 100 * 1024 * 1024;
const NOTHING_BYTES = 1024 * 1024;
const MOST_SHOWN = 10;

/** @param version as `process.version` */
export function nodeFinding(version: string): Finding {
  const [major = 0, minor = 0] = version.replace(/^v/, '').split('.').map(Number);
  const [least, leastMinor] = LEAST_NODE;
  if (major > least || (major === least && minor >= leastMinor)) return { check: 'node', state: 'ok', text: version };
  return {
    check: 'node',
    state: 'fail',
    text: `${version} is too old`,
    remedy: `install ${LEAST_NODE.join('.')} or later`,
  };
}

/** @param version its first line; '' if it cannot be run; undefined if it is not there */
export function programFinding(check: 'bash' | 'git', version: string | undefined, without: string): Finding {
  if (version) return { check, state: 'ok', text: /\d+(\.\d+)+/.exec(version)?.[0] ?? version };
  const text = version === undefined ? `not found in PATH: no ${without}` : `cannot be run: no ${without}`;
  return { check, state: 'warn', text, remedy: `install ${check}` };
}

export function sandboxFinding(sandbox: Sandbox, asked: Config['sandbox']): Finding {
  if (asked === 'off') {
    const text = "OFF by configuration: agents' commands have your rights";
    return { check: 'sandbox', state: 'warn', text, remedy: 'sandbox: auto' };
  }
  if (sandbox.type === 'none') {
    const lost = 'agents with the tool shell are refused, and a chat asks before each command';
    return { check: 'sandbox', state: 'warn', text: `none: ${sandbox.reason}; ${lost}`, remedy: sandbox.hint };
  }
  return { check: 'sandbox', state: 'ok', text: sandbox.type === 'on' ? `${sandbox.name} works` : 'off' };
}

/** A line for each file with what comes from it, and for each problem. */
export function configFindings({ config, problems }: Project): Finding[] {
  if (config.files.length === 0 && problems.length === 0) {
    return [{ check: 'config', state: 'ok', text: 'no pipeline.config.yaml: all defaults' }];
  }
  const files = config.files.map((file): Finding => {
    const roles = [...config.models].filter(([, { at }]) => at.file === file).map(([name]) => name);
    const what = roles.length === 0 ? 'gives no model that is in use' : `gives the models ${roles.join(', ')}`;
    return { check: 'config', state: 'ok', text: `${here(file)} ${what}` };
  });
  const values = [
    ...(config.providers.size === 0 ? [] : [`limits of ${[...config.providers.keys()].join(', ')}`]),
    ...(config.detect ? [] : ['detect: false']),
    ...(config.sandbox === 'auto' ? [] : ['sandbox: off']),
  ];
  const rest: Finding[] = values.length === 0 ? [] : [{ check: 'config', state: 'ok', text: values.join('; ') }];
  return [...files, ...rest, ...problems.map((problem) => problemFinding('config', problem, 'fail'))];
}

/** Variables that decide where models are asked, and which; what they hold tells `pipeline config --explain`. */
export function environmentFindings(env: Environment): Finding[] {
  const names = SERVICE_NAMES.map(variablePrefix).flatMap((prefix) => [`${prefix}_BASE_URL`, `${prefix}_MODEL`]);
  const set = names.filter((name) => env[name]);
  if (set.length === 0) return [];
  return [{ check: 'config', state: 'ok', text: `${set.join(', ')} from the environment` }];
}

/** Names of variables only. */
export function keysFinding({ keys }: Survey): Finding {
  const set = Object.entries(keys).flatMap(([name, state]) => (state === 'set' ? [name] : []));
  return { check: 'keys', state: 'ok', text: set.length === 0 ? 'none set' : `${set.join(', ')} set` };
}

export function defaultFinding({ default: model }: Survey): Finding {
  if (!('label' in model)) {
    const { message, hint } = model.fault;
    return { check: 'default', state: 'warn', text: oneLine(message), ...(hint ? { remedy: oneLine(hint) } : {}) };
  }
  if (model.host !== '') return { check: 'default', state: 'ok', text: `${model.label}: ${model.reason}` };
  const remedy = 'export OPENAI_API_KEY=…';
  return { check: 'default', state: 'warn', text: `${model.label}: no language model`, remedy };
}

/** A line for each service that the configured models are asked at. */
export function reachFindings(services: readonly Reached[]): Finding[] {
  return services.map(({ roles, host, ok, text, remedy }) => ({
    check: 'reach',
    state: ok ? 'ok' : 'warn',
    text: oneLine(`${host} (${roles.join(', ')}) ${text}`),
    ...(remedy === undefined ? {} : { remedy: oneLine(remedy) }),
  }));
}

/** What could not be read is no skill; what was mended or left out of one is said. */
export function skillFindings({ places }: Project): Finding[] {
  const { skills, shadowed, problems } = discoverSkills(places);
  const skipped = problems.filter(({ severity }) => severity === 'error');
  const repaired = problems.filter(({ severity }) => severity !== 'error');
  const counts = [
    `${skills.length} found`,
    ...(repaired.length === 0 ? [] : [`${foldersOf(repaired)} repaired`]),
    ...(skipped.length === 0 ? [] : [`${foldersOf(skipped)} skipped`]),
    ...(shadowed.length === 0 ? [] : [`${shadowed.length} hidden by others`]),
  ];
  const left = problems.length - MOST_SHOWN;
  return [
    { check: 'skills', state: 'ok', text: counts.join(', ') },
    ...[...skipped, ...repaired].slice(0, MOST_SHOWN).map(skillFinding),
    ...(left > 0 ? [{ check: 'skills', state: 'warn', text: `${left} more`, remedy: 'pipeline list' } as const] : []),
  ];
}

function foldersOf(problems: readonly Problem[]): number {
  return new Set(problems.map(({ at }) => dirname(at.file))).size;
}

function skillFinding(problem: Problem): Finding {
  const finding = problemFinding('skills', problem, 'warn');
  const text = problem.severity === 'error' ? `skipped: ${finding.text}` : finding.text;
  return { ...finding, text, remedy: finding.remedy ?? `pipeline check ${here(dirname(problem.at.file))}` };
}

/** What shows a report: any browser will do. */
export function browserFinding(opener: Opener): Finding {
  if (opener.type === 'program')
    return { check: 'browser', state: 'ok', text: `reports open by ${basename(opener.path)}` };
  return { check: 'browser', state: 'ok', text: `${opener.reason}: pipeline open prints where a report is` };
}

/** Where runs are kept, or will be. */
export function runsFinding(projectDir: string): Finding {
  const folder = nearestFolder(runsDirOf(projectDir));
  try {
    accessSync(folder, constants.W_OK);
  } catch {
    return {
      check: 'runs',
      state: 'fail',
      text: `${here(folder)} cannot be written`,
      remedy: 'change its permissions',
    };
  }
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  const text = `${bytesText(free)} free for skill_run`;
  if (free < NOTHING_BYTES) return { check: 'runs', state: 'fail', text, remedy: 'free some space' };
  return free < LITTLE_BYTES
    ? { check: 'runs', state: 'warn', text, remedy: 'free some space' }
    : { check: 'runs', state: 'ok', text };
}

export function localeFinding(env: Environment): Finding {
  const name = env.LC_ALL || env.LC_CTYPE || env.LANG || '';
  if (/utf-?8/i.test(name)) return { check: 'locale', state: 'ok', text: name };
  const text = `${name === '' ? 'not set' : name}: programs may break what is not ASCII`;
  return { check: 'locale', state: 'warn', text, remedy: 'export LANG=C.UTF-8' };
}

function problemFinding(check: 'config' | 'skills', problem: Problem, worst: 'warn' | 'fail'): Finding {
  const { at, message, hint, severity } = problem;
  return {
    check,
    state: severity === 'error' ? worst : 'warn',
    text: oneLine(`${here(at.file)}:${at.line}: ${message}`),
    ...(hint ? { remedy: oneLine(hint) } : {}),
  };
}

function nearestFolder(path: string): string {
  try {
    accessSync(path);
    return path;
  } catch {
    return path === dirname(path) ? path : nearestFolder(dirname(path));
  }
}

function bytesText(bytes: number): string {
  const gigabytes = bytes / 1024 ** 3;
  return gigabytes >= 1 ? `${gigabytes.toFixed(gigabytes < 10 ? 1 : 0)} GB` : `${Math.floor(bytes / 1024 ** 2)} MB`;
}
