import { apiServerOptions } from '../../options/api-server-options.ts';
import { OptionsError } from '../../options/options-error.ts';
import type { ReadOptions } from '../../options/parse-options.ts';
import { startNotices } from '../../options/start-notices.ts';
import type { StorageMediaType } from '../../registry/storage-codec.ts';
import type { EndpointReconcilerType } from '../../controllers/kubernetes-service/open-endpoint-reconciler.ts';
import { advertisedAddress } from '../server-address.ts';
import { ownServiceAccountKey } from '../service-account-key.ts';
import type { ServerConfig } from './server-config.ts';
import { cacheSettings, featureStates, serverSettings, threadThresholds } from './server-settings.ts';
import { startProblems } from './start-problems.ts';

/** Where a control plane keeps its files. */
export interface ConfigDirectories {
  /** Of certificates, token and kubeconfig. */
  readonly dir: string;
  /** Of the embedded store; default: `dir`. */
  readonly dataDir?: string;
}

/**
 * Makes the configuration of a control plane from options, and from the files that they name; writes nothing. Throws
 * `OptionsError` with all that is wrong: with the options themselves, with what they say of the API, and in the files.
 */
export function readConfig({ values, problems }: ReadOptions, { dir, dataDir = dir }: ConfigDirectories): ServerConfig {
  const all = [...problems, ...startProblems(values)];
  if (all.length > 0) throw new OptionsError(all);
  const ownKey = ownServiceAccountKey(values, dir);
  const options =
    ownKey === undefined
      ? values
      : values.with({ 'service-account-signing-key-file': ownKey, 'service-account-key-file': [ownKey] });
  const [low, high] = options.string('service-node-port-range').split('-').map(Number) as [number, number];
  return {
    component: options.component,
    options,
    dir,
    ownServiceAccountKey: ownKey,
    notices: startNotices(apiServerOptions, options),
    verbosity: options.int('v'),
    address: {
      advertised: advertisedAddress(options.string('advertise-address'), options.string('bind-address')),
      externalHostname: options.string('external-hostname'),
    },
    server: serverSettings(options),
    storage: {
      dataDir,
      cache: cacheSettings(options),
      mediaType: options.string('storage-media-type') as StorageMediaType,
      eventTtlSeconds: Math.ceil(options.durationMs('event-ttl') / 1000),
      collectsGarbage: options.bool('enable-garbage-collector'),
    },
    services: {
      clusterIps: options.string('service-cluster-ip-range').split(','),
      nodePorts: { low, high },
      clusterServiceNodePort: options.int('cluster-service-node-port'),
    },
    endpoints: {
      type: options.string('endpoint-reconciler-type') as EndpointReconcilerType,
      serverCount: options.int('apiserver-count'),
    },
    metrics: {
      storeCountPollMs: options.durationMs('store-count-metric-poll-period'),
      features: featureStates(options),
    },
    threads: threadThresholds(options),
    apiPage: options.bool('enable-apidoc-ui'),
    tracingEndpoint: options.string('tracing-otlp-endpoint'),
  };
}
