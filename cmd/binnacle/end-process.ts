/**
 * Ends this process at once, also where a thread of the file system's work is blocked by a pipe without a reader or by
 * a disk that hangs: `process.exit` would wait for it. Then the process ends by SIGKILL, otherwise with its exit code.
 */
export function endProcess(): never {
  if (process.getActiveResourcesInfo().some((kind) => kind.startsWith('FSReq'))) process.kill(process.pid, 'SIGKILL');
  process.exit();
}
