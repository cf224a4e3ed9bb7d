/**
 * Ends this process at once, also where a thread that does the file system's work is stuck in a pipe that nobody reads
 * or on a disk that hangs: `process.exit` would wait for it. Then the process ends by SIGKILL, otherwise with its exit
 * code.
 */
export function endProcess(): never {
  if (process.getActiveResourcesInfo().some((kind) => kind.startsWith('FSReq'))) process.kill(process.pid, 'SIGKILL');
  process.exit();
}
