/** Writes `report.html` into a run folder. */
import { runDirAt } from '../engine/run-dir.js';
import { writeFileAtomic } from '../files/atomic-write.js';
import type { FileLayer } from '../files/layer.js';
import { reportPage } from './page.js';
import { runView, type ViewOptions } from './run-view.js';

export interface WriteOptions extends ViewOptions {
  readonly files?: FileLayer;
}

/** @param dir absolute @returns the path of the report */
export async function writeReport(dir: string, { files, ...options }: WriteOptions = {}): Promise<string> {
  const page = await reportPage(runView(dir, options));
  const file = runDirAt(dir).report;
  writeFileAtomic(file, page, { durable: false, ...(files ? { files } : {}) });
  return file;
}
