/** Each setting of the configuration with the line that it stands in; of several files, whose word counts. */
import type { Json } from '../core/json.js';
import type { Position } from '../core/problems.js';
import { readText } from './text.js';
import { parseYaml } from './yaml-text.js';
import { toJson, type YamlNode } from './yaml-tree.js';

export interface FileSetting {
  /** `models.default.model`. */
  readonly name: string;
  readonly value: Json;
  readonly at: Position;
  /** A nearer file says it otherwise: of a role or a provider, the nearest file that names it counts as a whole. */
  readonly overridden: boolean;
}

/** @param files absolute, the nearest first */
export function fileSettings(files: readonly string[]): FileSetting[] {
  const taken = new Set<string>();
  return files.flatMap((file) => {
    const found = settingsIn(file);
    const settings = found.map(({ path, value, at }) => {
      return { name: path.join('.'), value, at, overridden: taken.has(ownerOf(path)) };
    });
    for (const { path } of found) taken.add(ownerOf(path));
    return settings;
  });
}

/** What a file decides as a whole. */
function ownerOf([first = '', second = '']: readonly string[]): string {
  return first === 'models' || first === 'providers' ? `${first}.${second}` : first;
}

interface Found {
  readonly path: readonly string[];
  readonly value: Json;
  readonly at: Position;
}

function settingsIn(file: string): Found[] {
  const read = readText(file);
  const root = read.type === 'text' ? parseYaml(read.source).root : undefined;
  return root ? leavesOf(root, []) : [];
}

function leavesOf(node: YamlNode, path: readonly string[]): Found[] {
  if (node.type === 'broken') return [];
  if (node.type !== 'map') return path.length === 0 ? [] : [{ path, value: toJson(node), at: node.at }];
  return node.pairs.flatMap(({ key, value }) => leavesOf(value, [...path, key]));
}
