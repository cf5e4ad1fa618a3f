/** pipeline models test: two small calls to a model, which say whether it can run agents. */
import { FAULTS, type FaultData } from '../core/faults.js';
import { oneLine, plainText } from '../core/plain-text.js';
import { contextText, sightText, usd } from '../core/words.js';
import { createModels } from '../providers/models.js';
import { type Trial, tryModel } from '../providers/try-model.js';
import { openProject } from '../run.js';
import type { ModelsOptions } from './models.js';
import { printJson, printResult, say } from './output.js';
import { table } from './table.js';

/** @param name a role, or `provider/model-id` */
export async function modelsTestCommand(name: string, options: ModelsOptions): Promise<void> {
  const { env } = process;
  const { config } = openProject({ cwd: process.cwd(), env, skillsDirs: options.skillsDir });
  const models = createModels({
    roles: config.models,
    env,
    flagModel: name === 'default' ? undefined : name,
    detect: options.detect !== false && config.detect,
    cwd: process.cwd(),
    limits: config.providers,
    onNotice: (text) => say(`! ${plainText(text)}`),
  });
  const model = await models.pick(name);
  const trial = await tryModel(model, new AbortController().signal);
  const { contextTokens = null, sees = null } = model;
  if (!trial.canRunAgents) process.exitCode = FAULTS[trial.fault?.code ?? 'provider.refused'].exit;
  if (options.json) return printJson({ ...trial, contextTokens, images: sees });
  printResult(trialText(trial, { contextTokens, sees }));
}

/** By the model's name, or its configuration; null if neither tells. */
export interface KnownAbilities {
  readonly contextTokens: number | null;
  readonly sees: boolean | null;
}

export function trialText(trial: Trial, { contextTokens, sees }: KnownAbilities): string {
  const { label, host, placeholder, checks, notices, firstPieceMs, fault } = trial;
  const about = [
    ...(contextTokens === null ? [] : [contextText(contextTokens)]),
    ...(sees === null ? [] : [sightText(sees)]),
    ...(placeholder ? ['a stand-in: its texts are placeholders'] : []),
  ];
  return [
    `${plainText(label)}${host === '' ? '' : ` at ${plainText(host)}`}${about.length === 0 ? '' : ` (${about.join(', ')})`}`,
    table(checks.map(({ name, holds, seen }) => [`${holds ? '✓' : '✗'} ${name}`, oneLine(seen)])),
    ...(firstPieceMs === undefined ? [] : [`first piece of text after ${firstPieceMs} ms`]),
    ...notices.map((text) => `! ${oneLine(text)}`),
    costText(trial),
    ...verdict(trial.canRunAgents, fault),
  ].join('\n');
}

function verdict(canRunAgents: boolean, fault: FaultData | undefined): string[] {
  if (canRunAgents) return ['It can run agents.'];
  return [
    `It cannot run agents${fault ? `: ${oneLine(fault.message).replace(/\.$/, '')}` : ''}.`,
    ...(fault?.hint === undefined ? [] : [`  try  ${plainText(fault.hint)}`]),
  ];
}

function costText({ usd: dollars, usage }: Trial): string {
  const used = usage.inputTokens + usage.outputTokens;
  const cost =
    dollars === null ? 'what this cost is not known' : `this cost ${dollars === 0 ? 'nothing' : usd(dollars)}`;
  return used === 0 ? cost : `${cost} (${used} tokens)`;
}
