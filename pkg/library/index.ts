import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { readConfig } from '../controlplane/config/read-config.ts';
import { startControlPlane as start } from '../controlplane/start-control-plane.ts';
import { Logger } from '../logging/logger.ts';
import { readOptions } from '../options/parse-options.ts';
import { upOptions } from '../options/up-options.ts';
import type { ControlPlane, ControlPlaneOptions, Kubeconfig, StartControlPlane } from './public-types.ts';

export type { ControlPlane, ControlPlaneOptions, Kubeconfig };

/** See `StartControlPlane`. */
export const startControlPlane: StartControlPlane = async (options = {}) => {
  const { args = [], simulatedNodes = 1, dataDir, log } = options;
  const dir = dataDir ?? mkdtempSync(path.join(tmpdir(), 'binnacle-'));
  const release = (): void => {
    if (dataDir === undefined) rmSync(dir, { recursive: true, force: true });
  };
  try {
    const read = readOptions(upOptions, 'up', [
      '--secure-port=0',
      '--bind-address=127.0.0.1',
      `--simulated-nodes=${simulatedNodes}`,
      ...args,
    ]);
    const config = readConfig(read, { dir });
    const running = await start(config, {
      workerFile: workerFile(),
      logger: Logger.open({ verbosity: config.verbosity, destination: { write: (line) => log?.(line) } }),
    });
    return {
      url: running.url,
      token: running.token,
      kubeconfig: running.kubeconfig.object as unknown as Kubeconfig,
      async stop() {
        try {
          await running.stop();
        } finally {
          release();
        }
      },
    };
  } catch (error) {
    release();
    throw error;
  }
};

/** The bundle's worker stands beside the bundle; from source it is the module itself. */
function workerFile(): string {
  const here = import.meta.url;
  return fileURLToPath(new URL(here.endsWith('.ts') ? '../workers/worker.ts' : './worker.js', here));
}
