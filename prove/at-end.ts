/** Stands in for vitest where a row uses what the tests use: what they clean up after a test, a row cleans up at its end. */
const undos: (() => unknown)[] = [];

export function onTestFinished(undo: () => unknown): void {
  undos.push(undo);
}

export async function cleanUp(): Promise<void> {
  for (const undo of undos.splice(0).reverse()) await undo();
}
