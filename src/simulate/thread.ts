/** A thread of this program that does one job: what it is told, what it tells while it is at work, what came of it. */
import { fileURLToPath } from 'node:url';
import { isMainThread, parentPort, type ResourceLimits, Worker, workerData } from 'node:worker_threads';
import { Fault, type FaultData } from '../core/faults.js';

/** What is given, told and made is plain data. */
export interface Job<Given, Told, Made> {
  readonly name: string;
  work(given: Given, tell: (told: Told) => void): Promise<Made>;
}

export interface Around<Told> {
  /** The command line's own file, which the thread begins with. */
  readonly program: string;
  /** Ends the thread, wherever it is. */
  readonly signal: AbortSignal;
  readonly resourceLimits?: ResourceLimits;
  onTold?(told: Told): void;
}

type Message =
  | { readonly type: 'told'; readonly told: unknown }
  | { readonly type: 'made'; readonly made: unknown }
  | { readonly type: 'failed'; readonly fault: FaultData | undefined; readonly error: unknown };

/** Whether this thread is one that `inThread` has started: it then does its job, and nothing else. */
export async function didJob(jobs: readonly Job<never, unknown, unknown>[]): Promise<boolean> {
  const data = workerData as { readonly job?: string; readonly given?: unknown } | null;
  const job = isMainThread ? undefined : jobs.find(({ name }) => name === data?.job);
  if (!job) return false;
  const tell = (message: Message) => parentPort?.postMessage(message);
  try {
    tell({ type: 'made', made: await job.work(data?.given as never, (told) => tell({ type: 'told', told })) });
  } catch (error) {
    // An error that is cloned stays an error, but no fault.
    tell({ type: 'failed', fault: error instanceof Fault ? error.data : undefined, error: plainly(error) });
  }
  return true;
}

function plainly(error: unknown): Error {
  if (!(error instanceof Error)) return new Error(String(error));
  const plain = new Error(error.message);
  if (error.stack !== undefined) plain.stack = error.stack;
  return plain;
}

/** Rejects with the signal's reason, with the fault of the job, or with what ended the thread. */
export function inThread<Given, Told, Made>(
  job: Job<Given, Told, Made>,
  given: Given,
  { program, signal, resourceLimits, onTold }: Around<Told>,
): Promise<Made> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const worker = new Worker(program, {
      argv: ['simulate', '.'],
      workerData: { job: job.name, given },
      ...(resourceLimits ? { resourceLimits } : {}),
    });
    const stop = () => void worker.terminate();
    signal.addEventListener('abort', stop, { once: true });
    worker.on('message', (message: Message) => {
      if (message.type === 'made') resolve(message.made as Made);
      else if (message.type === 'told') onTold?.(message.told as Told);
      else reject(message.fault ? Fault.from(message.fault) : message.error);
    });
    worker.on('error', reject);
    worker.on('exit', () => {
      signal.removeEventListener('abort', stop);
      reject(signal.aborted ? signal.reason : new Error('a thread ended without saying why'));
    });
  });
}

/** The command line that this program was started as. */
export function programHere(): string {
  return fileURLToPath(new URL('cli.js', import.meta.url));
}
