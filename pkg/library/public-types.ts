/// <reference lib="esnext.disposable" />

/** Settings of `startControlPlane`; everything has a default. */
export interface ControlPlaneOptions {
  /** Simulated nodes: how many, in two zones, or a list of Node objects. Default: 1. */
  readonly nodes?: number | readonly SimulatedNode[];
  /** Controllers that run, as `--controllers` names them: `['*', '-job']`, `['deployment']`. Default: `['*']`. */
  readonly controllers?: readonly string[];
  /** False: nothing gives pods to nodes. Default: true. */
  readonly scheduler?: boolean;
  /** More options, as `binnacle up` takes them on the command line. */
  readonly args?: readonly string[];
  /** Directory of the data, which stays. Default: a temporary one, which `stop` removes. */
  readonly dataDir?: string;
  /** Gets each line of the server's log, JSON with a newline. Default: the log is dropped. */
  readonly log?: (line: string) => void;
}

/** A Node object, as clients create it: labels, taints, capacity, and annotations that say how its pods behave. */
export interface SimulatedNode {
  readonly kind: 'Node';
  readonly metadata: {
    readonly name: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec?: object;
  readonly status?: object;
}

/** A cluster-config object, as clients read it of a kubeconfig file. */
export interface Kubeconfig {
  readonly apiVersion: 'v1';
  readonly kind: 'Config';
  readonly clusters: readonly {
    readonly name: string;
    readonly cluster: { readonly server: string; readonly 'certificate-authority-data': string };
  }[];
  readonly users: readonly { readonly name: string; readonly user: { readonly token: string } }[];
  readonly contexts: readonly {
    readonly name: string;
    readonly context: { readonly cluster: string; readonly user: string };
  }[];
  readonly 'current-context': string;
}

/** A cluster in this process: API server, controllers, scheduler, simulated nodes. */
export interface ControlPlane extends AsyncDisposable {
  /** `https://127.0.0.1:PORT`. */
  readonly url: string;
  /** Bearer token of an administrator. */
  readonly token: string;
  /** For any client; JSON is YAML, so that `JSON.stringify` of it is a kubeconfig file. */
  readonly kubeconfig: Kubeconfig;
  /**
   * Resolves when nothing of it is left: no port, no thread, no timer, and no temporary directory. `await using` calls
   * it at the end of the block.
   */
  stop(): Promise<void>;
}

/**
 * Starts a cluster in this process on a free port of the loopback interface. Several may run side by side; none sees
 * the others. Rejects with an `Error` that lists every option that is wrong.
 */
export type StartControlPlane = (options?: ControlPlaneOptions) => Promise<ControlPlane>;
