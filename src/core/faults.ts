/** The fault table and the one error class. The prefix of a code says who must act. */

/**
 * `config` the author, `input` the caller, `provider` the service, `agent` the model, `shell` the command, `step` a bound of the step,
 * `run` the person, `internal` us. `exit` is the process's exit code when this fault decides a run; `retry` says whether trying again can help.
 */
export const FAULTS = {
  'config.invalid': { exit: 2, retry: false },
  'config.unsafe': { exit: 4, retry: false },
  'input.invalid': { exit: 2, retry: false },
  'input.unknown': { exit: 2, retry: false },
  'input.replay': { exit: 2, retry: false },
  'provider.no_model': { exit: 3, retry: false },
  'provider.refused': { exit: 3, retry: false },
  'provider.unreachable': { exit: 3, retry: true },
  'provider.overloaded': { exit: 3, retry: true },
  'provider.protocol': { exit: 3, retry: true },
  'provider.silent': { exit: 3, retry: true },
  'provider.exhausted': { exit: 6, retry: false },
  'agent.no_resolve': { exit: 1, retry: true },
  'agent.rounds': { exit: 1, retry: false },
  'agent.dead_loop': { exit: 1, retry: true },
  'agent.arguments': { exit: 1, retry: true },
  'agent.schema': { exit: 1, retry: true },
  'agent.truncated': { exit: 1, retry: false },
  'agent.refusal': { exit: 1, retry: false },
  'shell.exit': { exit: 1, retry: true },
  'shell.missing': { exit: 1, retry: false },
  'shell.output': { exit: 1, retry: true },
  'step.timeout': { exit: 1, retry: true },
  'step.silent': { exit: 1, retry: true },
  'step.output': { exit: 1, retry: true },
  'step.assert': { exit: 1, retry: true },
  'step.artifacts': { exit: 1, retry: true },
  'step.expression': { exit: 1, retry: false },
  'step.items': { exit: 1, retry: false },
  'step.min_success': { exit: 1, retry: false },
  'step.repeat_max': { exit: 1, retry: false },
  'step.conflict': { exit: 1, retry: false },
  'step.path': { exit: 1, retry: false },
  'step.secret_in_output': { exit: 1, retry: false },
  'step.ended': { exit: 1, retry: false },
  'run.unanswered': { exit: 1, retry: false },
  'run.cancelled': { exit: 130, retry: false },
  'run.terminated': { exit: 143, retry: false },
  'run.hangup': { exit: 129, retry: false },
  'run.limit': { exit: 6, retry: false },
  'run.in_use': { exit: 75, retry: false },
  'run.forbidden': { exit: 4, retry: false },
  'run.journal': { exit: 1, retry: false },
  'run.storage': { exit: 1, retry: false },
  'internal.bug': { exit: 70, retry: false },
} as const satisfies Record<string, { exit: number; retry: boolean }>;

export type FaultCode = keyof typeof FAULTS;

/** What went wrong, as plain data: it is journaled, shown and compared. */
export interface FaultData {
  readonly code: FaultCode;
  readonly message: string;
  /** What the person who must act can do next. */
  readonly hint?: string;
  /** Exit code or signal of the process that failed. */
  readonly exit?: number | string;
  /** The last 4 KB of the process's standard error. */
  readonly stderr?: string;
  /** Of a child pipeline that ended as refused or failed: its end's name, which is what expressions see as the code. */
  readonly outcome?: string;
  /** How long the service asked to wait. */
  readonly retryAfterMs?: number;
  /** Of a limit of the run: what would do, as `--limit` takes it, e.g. `tokens=10000`. */
  readonly raise?: string;
  /** The service had begun to answer: the call may be charged. */
  readonly answered?: true;
}

export class Fault extends Error {
  readonly data: FaultData;
  constructor(
    code: FaultCode,
    message: string,
    more: Omit<FaultData, 'code' | 'message'> = {},
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'Fault';
    this.data = { code, message, ...more };
  }
  static from(data: FaultData): Fault {
    const { code, message, ...more } = data;
    return new Fault(code, message, more);
  }
}

/** Anything that was thrown, as a fault; what is not a Fault is a bug of ours. */
export function toFault(error: unknown): FaultData {
  if (error instanceof Fault) return error.data;
  const full = storageFault(error);
  if (full) return full;
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { code: 'internal.bug', message };
}

/** Faults that stop the run and leave the step to be resumed, instead of failing it. */
export function stopsTheRun(fault: FaultData): boolean {
  switch (fault.code) {
    case 'run.cancelled':
    case 'run.terminated':
    case 'run.hangup':
    case 'run.limit':
    case 'run.journal':
    case 'run.storage':
    case 'provider.exhausted':
    case 'input.replay':
      return true;
    default:
      return false;
  }
}

/** What a disk or a system limit refuses is neither the author's fault nor a bug. */
function storageFault(error: unknown): FaultData | undefined {
  if (!(error instanceof Error) || !('code' in error) || !('syscall' in error)) return undefined;
  const reason = STORAGE[String(error.code)];
  if (reason === undefined) return undefined;
  const hint =
    'Mend that, then try again; a run that was begun goes on with pipeline resume, and keeps what was finished.';
  return { code: 'run.storage', message: `${reason} (${error.message})`, hint };
}

const STORAGE: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EROFS: 'the file system is read-only',
  EIO: 'the disk reported an error',
  EACCES: 'a file or folder may not be accessed',
  EPERM: 'a file or folder may not be accessed',
  EISDIR: 'there is a folder where a file must be',
  ENOTDIR: 'there is a file where a folder must be',
  EFBIG: 'a file would be larger than the system allows',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open',
};

/**
 * When to try again, or undefined for never.
 * @param attempt the attempt that just failed, from 1
 */
export function nextDelayMs(
  fault: FaultData,
  attempt: number,
  policy: { readonly attempts: number; readonly backoffMs: number },
): number | undefined {
  if (!FAULTS[fault.code].retry) return undefined;
  if (attempt >= policy.attempts) return undefined;
  return Math.max(fault.retryAfterMs ?? 0, policy.backoffMs * 2 ** (attempt - 1));
}
