import { fstatSync } from 'node:fs';

const CHECK_MS = 500;
const STANDARD_INPUT = 0;

/**
 * Resolves when the process that started this one, `parentId`, is gone, however it ended. A process whose parent has
 * ended gets another parent, which is seen within half a second. Standard input, where it is a pipe, ends when all that
 * have its other end are gone: what stands between (npx, a shell) may live on. A pipe that ends while this process
 * starts was closed from the beginning, and says nothing.
 */
export function parentGone(parentId: number, isStarting: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const timer = setInterval(() => {
      if (process.ppid === parentId) return;
      clearInterval(timer);
      resolve();
    }, CHECK_MS);
    timer.unref();
    if (!isPipe()) return;
    const onEnd = (): void => {
      if (!isStarting()) resolve();
    };
    const input: NodeJS.ReadStream & { unref?(): void } = process.stdin;
    input.once('end', onEnd).once('error', onEnd).resume();
    input.unref?.();
  });
}

function isPipe(): boolean {
  try {
    const found = fstatSync(STANDARD_INPUT);
    return found.isFIFO() || found.isSocket();
  } catch {
    // It is closed.
    return false;
  }
}
