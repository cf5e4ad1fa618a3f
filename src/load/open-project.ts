/** The project around a command: its folder, its configuration, where its skills are. */
import type { Problem } from '../core/problems.js';
import { type Config, loadConfig } from './config.js';
import { findProject } from './project.js';
import type { SkillPlaces } from './skill-names.js';

export interface Project {
  /** Absolute. */
  readonly dir: string;
  readonly config: Config;
  readonly places: SkillPlaces;
  /** Of the configuration. */
  readonly problems: readonly Problem[];
}

/** @param around folders are absolute; `bundledDir` holds the skills that come with the program */
export function openProject(around: {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly skillsDirs?: readonly string[] | undefined;
  readonly bundledDir: string;
  /** By their names, beside the built-in ones. */
  readonly providers?: Readonly<Record<string, unknown>> | undefined;
}): Project {
  const { cwd, env, skillsDirs, bundledDir } = around;
  const providers = Object.keys(around.providers ?? {});
  const dir = findProject(cwd);
  const homeDir = env.HOME;
  const { config, problems } = loadConfig({ projectDir: dir, homeDir, configHome: env.XDG_CONFIG_HOME, providers });
  return { dir, config, places: { projectDir: dir, skillsDirs, homeDir, bundledDir }, problems };
}
