import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ListeningProcess } from './listening-process.ts';
import type { RunningServer } from './server-under-test.ts';

/** Starts the floor server. It serves `/NAME` with so many bytes for each name, and watches of so many pods. */
export async function startFloorServer(
  dir: string,
  sizes: Readonly<Record<string, number>>,
  pods: number,
): Promise<RunningServer> {
  const child = await ListeningProcess.start(
    ['--import', 'tsx', path.join(import.meta.dirname, 'floor-main.ts'), dir, JSON.stringify(sizes), String(pods)],
    /ready at (\S+)\s/,
  );
  const endpoint = { url: child.address, token: 'none', ca: readFileSync(path.join(dir, 'ca.crt'), 'utf8') };
  return { endpoint, pid: child.pid, readySeconds: undefined, stop: () => child.stop() };
}
