/** Checks the `tools` of an agent before anything runs: what the run would refuse is refused here. */
import { Fault } from '../core/faults.js';
import type { Look } from '../core/kind.js';
import type { Skill } from '../core/plan.js';
import { parseToolGrant, toolsFor } from '../tools/registry.js';

interface Finding {
  readonly message: string;
  readonly hint?: string | undefined;
  readonly severity?: 'warning';
}

/** @param skill the one whose instructions the agent has, if it names one: its allowed-tools bound what can be listed */
export function checkGrants(grants: readonly string[], skill: Skill | undefined, look: Look): void {
  for (const [index, grant] of grants.entries()) {
    const finding = findingOf(grant, grants.slice(0, index), skill, look);
    if (finding) look.problem(['tools', index], finding.message, finding.hint, finding.severity);
  }
}

function findingOf(
  written: string,
  earlier: readonly string[],
  skill: Skill | undefined,
  look: Look,
): Finding | undefined {
  const grant = parseToolGrant(written);
  if (grant?.name === 'resolve') return { message: '`resolve` is always there; a tool of that name cannot be listed' };
  try {
    toolsFor([written], look.tools);
  } catch (error) {
    if (error instanceof Fault) return error.data;
    throw error;
  }
  const allowed = skill?.allowedTools;
  if (allowed && !allowed.map(parseToolGrant).some((one) => covers(one, grant))) {
    return {
      message: `the skill "${skill.name}" does not allow the tool "${written}"`,
      hint: `Its allowed-tools: ${allowed.join(', ') || 'none'}.`,
    };
  }
  const isCovered = earlier.map(parseToolGrant).some((one) => covers(one, grant));
  return isCovered
    ? { message: `"${written}" is listed twice`, hint: 'Keep one of the two.', severity: 'warning' }
    : undefined;
}

/** Whether whoever has the one has the other too. */
function covers(one: Grant, other: Grant): boolean {
  return one?.name === other?.name && (one?.rule === undefined || one.rule === other?.rule);
}

type Grant = ReturnType<typeof parseToolGrant>;
