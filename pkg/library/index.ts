import { fileURLToPath } from 'node:url';
import { readConfig } from '../controlplane/config/read-config.ts';
import { simulatedNodesOf } from '../controlplane/config/programs-config.ts';
import type { ServerConfig } from '../controlplane/config/server-config.ts';
import { makeEphemeralDirectory, removeAbandonedDirectories } from '../controlplane/ephemeral-directory.ts';
import { startControlPlane as start, type ControlPlane as Running } from '../controlplane/start-control-plane.ts';
import { Logger } from '../logging/logger.ts';
import { readOptions } from '../options/parse-options.ts';
import { upOptions } from '../options/up-options.ts';
import type {
  ControlPlane,
  ControlPlaneOptions,
  Kubeconfig,
  SimulatedNode,
  StartControlPlane,
} from './public-types.ts';

export type { ControlPlane, ControlPlaneOptions, Kubeconfig, SimulatedNode };

/** See `StartControlPlane`. */
export const startControlPlane: StartControlPlane = async (options = {}) => {
  const ephemeral = options.dataDir === undefined ? makeEphemeralDirectory() : undefined;
  // Beside the start, which it need not delay.
  const cleaned = ephemeral && removeAbandonedDirectories();
  const release = async (): Promise<void> => {
    await cleaned;
    ephemeral?.remove();
  };
  try {
    const config = configOf(options, ephemeral?.path ?? options.dataDir!, ephemeral !== undefined);
    let running: Running | undefined = await start(config, {
      workerFile: workerFile(),
      logger: Logger.open({ verbosity: config.verbosity, destination: { write: (line) => options.log?.(line) } }),
    });
    const { url, token, kubeconfig } = running;
    let stopped: Promise<void> | undefined;
    const stop = (): Promise<void> => {
      stopped ??= running?.stop().finally(release);
      // A test file may keep what it has stopped: the cluster is not to stay in memory with it.
      running = undefined;
      return stopped!;
    };
    return { url, token, kubeconfig: kubeconfig.object as unknown as Kubeconfig, stop, [Symbol.asyncDispose]: stop };
  } catch (error) {
    await release();
    throw error;
  }
};

function configOf(options: ControlPlaneOptions, dir: string, ephemeral: boolean): ServerConfig {
  const { args = [], nodes = 1, controllers, scheduler } = options;
  const read = readOptions(upOptions, 'up', [
    '--secure-port=0',
    '--bind-address=127.0.0.1',
    `--simulated-nodes=${typeof nodes === 'number' ? nodes : 1}`,
    ...(controllers === undefined ? [] : [`--controllers=${controllers.join(',')}`]),
    ...(scheduler === undefined ? [] : [`--scheduler=${scheduler}`]),
    ...args,
  ]);
  const config = readConfig(read, { dir, ephemeral });
  if (typeof nodes === 'number' || config.programs === undefined) return config;
  const list = simulatedNodesOf(nodes);
  if (list === undefined) throw new Error('nodes: must be a number or a list of Node objects with names');
  return { ...config, programs: { ...config.programs, nodes: list } };
}

/** The bundle's worker stands beside the bundle; from source it is the module itself. */
function workerFile(): string {
  const here = import.meta.url;
  return fileURLToPath(new URL(here.endsWith('.ts') ? '../workers/worker.ts' : './worker.js', here));
}
