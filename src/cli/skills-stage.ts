/** Fetched skills in a folder of their own, read and judged there before anything reaches the project. */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Plan } from '../core/plan.js';
import { hasErrors, type Problem } from '../core/problems.js';
import { checkPipeline } from '../run.js';
import type { FoundSkill } from '../skills/found.js';
import { entryOf, type Staged } from '../skills/install.js';
import type { Source } from '../skills/source.js';
import { stageSkill } from '../skills/stage.js';
import type { SourceTree } from '../skills/tree.js';

export interface Judged extends Staged {
  readonly found: FoundSkill;
  /** None: what it may do cannot be said, so it is not offered. */
  readonly plan?: Plan;
  readonly problems: readonly Problem[];
}

export interface Stage {
  /** Absolute. */
  readonly dir: string;
  judge(found: readonly FoundSkill[], tree: SourceTree, source: Source): Promise<Judged[]>;
  close(): void;
}

export function openStage(skillsDirs: readonly string[]): Stage {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'pipeline-skills-')));
  return {
    dir,
    async judge(found, tree, source) {
      for (const one of found) await stageSkill(one, tree, join(dir, one.name));
      const around = { cwd: process.cwd(), env: process.env, skillsDirs: [dir, ...skillsDirs] };
      const judged: Judged[] = [];
      for (const one of found) {
        const at = join(dir, one.name);
        const { plan, problems } = await checkPipeline(at, around);
        const entry = entryOf(source, one.skillPath, tree.commit, at);
        const usable = plan && !hasErrors(problems) ? { plan } : {};
        judged.push({ name: one.name, dir: at, entry, found: one, problems, ...usable });
      }
      return judged;
    },
    close: () => rmSync(dir, { recursive: true, force: true }),
  };
}
