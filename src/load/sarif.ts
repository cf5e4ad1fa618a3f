/** Problems as SARIF 2.1.0, the format that editors and code hosts read findings in. */
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { JsonObject } from '../core/json.js';
import type { Position, Problem } from '../core/problems.js';
import { isPlaceless } from './report.js';
import { helpOf } from './rules.js';
import { readText, type Source } from './text.js';

const SCHEMA = 'https://json.schemastore.org/sarif-2.1.0.json';
/** Stands for the project's folder in the addresses of files. */
const BASE = '%SRCROOT%';

export interface SarifOptions {
  /** Absolute; addresses of files inside of it are relative to it. */
  readonly projectDir: string;
  /** Of this program. */
  readonly version: string;
}

export function problemsSarif(problems: readonly Problem[], { projectDir, version }: SarifOptions): JsonObject {
  const ids = [...new Set(problems.map(({ rule }) => rule))].sort();
  const sources = new Map<string, Source | undefined>();
  return {
    $schema: SCHEMA,
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'pipeline', version, rules: ids.map(ruleOf) } },
        columnKind: 'utf16CodeUnits',
        originalUriBaseIds: { [BASE]: { uri: `${pathToFileURL(projectDir).href.replace(/\/$/, '')}/` } },
        results: problems.map((problem) => resultOf(problem, ids.indexOf(problem.rule), projectDir, sources)),
      },
    ],
  };
}

function ruleOf(id: string): JsonObject {
  const text = helpOf(id);
  return { id, shortDescription: { text }, help: { text } };
}

function resultOf(
  problem: Problem,
  ruleIndex: number,
  projectDir: string,
  sources: Map<string, Source | undefined>,
): JsonObject {
  const { rule, severity, message, hint, at } = problem;
  const text = hint ? `${message} ${hint}` : message;
  const fix = fixOf(problem, projectDir, sources);
  return {
    ruleId: rule,
    ruleIndex,
    level: severity,
    message: { text },
    ...(isPlaceless(problem)
      ? {}
      : {
          locations: [
            {
              physicalLocation: {
                artifactLocation: artifactOf(at.file, projectDir),
                region: { startLine: at.line, startColumn: at.column },
              },
            },
          ],
        }),
    ...(fix ? { fixes: [fix] } : {}),
  };
}

function artifactOf(file: string, projectDir: string): JsonObject {
  const relative = path.relative(projectDir, file);
  const isInside = relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
  if (!isInside) return { uri: pathToFileURL(file).href };
  return { uri: relative.split(path.sep).map(encodeURIComponent).join('/'), uriBaseId: BASE };
}

function fixOf(
  { edit, hint, at }: Problem,
  projectDir: string,
  sources: Map<string, Source | undefined>,
): JsonObject | undefined {
  if (!edit) return undefined;
  if (!sources.has(at.file)) {
    const read = readText(at.file);
    sources.set(at.file, read.type === 'text' ? read.source : undefined);
  }
  const source = sources.get(at.file);
  if (!source) return undefined;
  const start = source.position(edit.start - source.skipped);
  const end = source.position(edit.end - source.skipped);
  return {
    ...(hint ? { description: { text: hint } } : {}),
    artifactChanges: [
      {
        artifactLocation: artifactOf(at.file, projectDir),
        replacements: [{ deletedRegion: regionOf(start, end), insertedContent: { text: edit.text } }],
      },
    ],
  };
}

function regionOf(start: Position, end: Position): JsonObject {
  return { startLine: start.line, startColumn: start.column, endLine: end.line, endColumn: end.column };
}
