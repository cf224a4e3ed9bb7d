import { ClusterConfigError, readClientConfig, type ClusterConfig } from '../../client/cluster-config.ts';
import { inClusterConfig } from '../../client/in-cluster-config.ts';
import type { RestClientOptions } from '../../client/rest/rest-client.ts';
import type { OptionValues } from '../../options/option.ts';
import { optionProblem, OptionsError } from '../../options/options-error.ts';

/** How a program reaches the API server. */
export interface Connection {
  readonly config: ClusterConfig;
  readonly client: Pick<RestClientOptions, 'encoding' | 'protocol' | 'qps' | 'burst'>;
}

const OPTION = 'clusterconfig';
const PROTOBUF = 'application/vnd.kubernetes.protobuf';
/** As in the Go client, where 0 stands for no choice. */
const QPS = 5;

/** Throws `OptionsError` where there is no way to the API server. */
export function readConnection(options: OptionValues): Connection {
  const config = readServer(options);
  const qps = options.float('cluster-api-qps') || QPS;
  return {
    config,
    client: {
      encoding: options.string('cluster-api-content-type') === PROTOBUF ? 'protobuf' : 'json',
      protocol: config.server.protocol === 'https:' ? 'h2' : 'http/1.1',
      ...(qps < 0 ? {} : { qps, burst: Math.max(1, options.int('cluster-api-burst')) }),
    },
  };
}

/** The file of another option; undefined where it names none. Throws `OptionsError`. */
export function readConfigOf(options: OptionValues, option: string): ClusterConfig | undefined {
  const file = options.string(option);
  return file === '' ? undefined : withProblems(option, file, () => readClientConfig(file));
}

function readServer(options: OptionValues): ClusterConfig {
  const master = options.string('master');
  const config = readConfigOf(options, OPTION);
  if (config !== undefined) return master === '' ? config : { ...config, server: new URL(master) };
  if (master !== '') return { server: new URL(master), credentials: {} };
  return withProblems(OPTION, '', () => inClusterConfig());
}

function withProblems<T>(option: string, value: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ClusterConfigError)) throw error;
    throw new OptionsError(error.problems.map((problem) => optionProblem(option, value, problem)));
  }
}
