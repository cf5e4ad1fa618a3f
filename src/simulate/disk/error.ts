/** An error of the disk in memory, as the system would say it. */
const ERRNO: Readonly<Record<string, number>> = {
  ENOENT: -2,
  EEXIST: -17,
  ENOTDIR: -20,
  EISDIR: -21,
  EBADF: -9,
  ELOOP: -40,
  ENOTEMPTY: -39,
  EINVAL: -22,
  ENOSPC: -28,
  EIO: -5,
  EROFS: -30,
};

export function systemError(code: string, syscall: string, path: string): Error {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  const error = Object.assign(new Error(`${code}: ${syscall} '${path}'`), {
    code,
    syscall,
    path,
    errno: ERRNO[code] ?? -1,
  });
  Error.stackTraceLimit = limit;
  return error;
}
