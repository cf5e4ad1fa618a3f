/** Notes what nobody catches while a row is tried, which would end its process. */
import type { Figure } from './row.js';

/** @returns what the trials came to, with what was not caught meanwhile among the faults */
export async function notingUncaught(prove: () => Promise<Figure>): Promise<Figure> {
  const uncaught: string[] = [];
  const note = (error: unknown) => void uncaught.push(`uncaught: ${error instanceof Error ? error.stack : error}`);
  process.on('uncaughtException', note);
  process.on('unhandledRejection', note);
  try {
    const figure = await prove();
    return { ...figure, faults: [...figure.faults, ...uncaught] };
  } finally {
    process.off('uncaughtException', note);
    process.off('unhandledRejection', note);
  }
}
