import { readAdmissionConfig } from '../../admission/admission-config.ts';
import { readAuditConfig } from '../../audit/audit-config.ts';
import { readAuthenticationConfig } from '../../authentication/authentication-config.ts';
import { readAuthorizationConfig } from '../../authorization/authorization-config.ts';
import { apiServerOptions } from '../../options/api-server-options.ts';
import { GatheredProblems } from '../../options/gathered-problems.ts';
import type { OptionValues } from '../../options/option.ts';
import { OptionsError } from '../../options/options-error.ts';
import { upOptions } from '../../options/up-options.ts';
import type { ReadOptions } from '../../options/parse-options.ts';
import { startNotices } from '../../options/start-notices.ts';
import type { StorageMediaType } from '../../registry/storage-codec.ts';
import { readNodeAgentConfig } from '../../server/connections/node-agent-settings.ts';
import { readAdminToken } from '../admin-token.ts';
import { readEncryptionConfig } from '../encryption-at-rest.ts';
import type { EndpointReconcilerType } from '../../controllers/kubernetes-service/open-endpoint-reconciler.ts';
import { advertisedAddress } from '../server-address.ts';
import { ownClientAuthority } from '../own-client-authority.ts';
import { ownServiceAccountKey } from '../service-account-key.ts';
import { readApiConfig } from './api-config.ts';
import { readCacheConfig } from './cache-config.ts';
import { readProgramsConfig } from './programs-config.ts';
import type { ServerConfig } from './server-config.ts';
import { FeatureGates } from '../../options/feature-gates.ts';
import { featureStates, serverSettings, threadThresholds } from './server-settings.ts';
import { readStoresConfig } from './stores-config.ts';
import { readTlsConfig } from './tls-config.ts';

/** Where a control plane keeps its files. */
export interface ConfigDirectories {
  /** Of certificates, token and kubeconfig. */
  readonly dir: string;
  /** Of the embedded store; default: `dir`. */
  readonly dataDir?: string;
  /** They are removed with the control plane: writes need not reach the disk. */
  readonly ephemeral?: boolean;
}

/**
 * Makes the configuration of a control plane from options, and from the files that they name; writes nothing. Throws
 * `OptionsError` with all that is wrong: with the options themselves, with what they say of the API, and in the files.
 */
export function readConfig({ values, problems }: ReadOptions, directories: ConfigDirectories): ServerConfig {
  const gathered = new GatheredProblems();
  gathered.attempt(() => {
    if (problems.length > 0) throw new OptionsError(problems);
  });
  const checked = readChecked(values, directories, gathered);
  gathered.throwIfAny();
  // Nothing is missing where nothing was wrong.
  return { ...readUnchecked(values, directories), ...(checked as Checked) };
}

/** What may be wrong although each option is right by itself. */
type Checked = Pick<
  ServerConfig,
  | 'api'
  | 'stores'
  | 'storage'
  | 'encryption'
  | 'tls'
  | 'adminToken'
  | 'authentication'
  | 'authorization'
  | 'admission'
  | 'audit'
  | 'nodeAgents'
  | 'programs'
>;

/** Undefined for what is wrong, which is gathered in the order of the parts. */
function readChecked(
  options: OptionValues,
  { dir, dataDir = dir, ephemeral = false }: ConfigDirectories,
  gathered: GatheredProblems,
): { readonly [Part in keyof Checked]: Checked[Part] | undefined } {
  const api = gathered.attempt(() => readApiConfig(options));
  const cache = gathered.attempt(() => readCacheConfig(options));
  const stores = gathered.attempt(() => readStoresConfig(options, dataDir, !ephemeral));
  const withOwn = withOwnFiles(options, dir);
  return {
    api,
    stores,
    storage: cache && {
      cache,
      mediaType: options.string('storage-media-type') as StorageMediaType,
      eventTtlSeconds: Math.ceil(options.durationMs('event-ttl') / 1000),
      collectsGarbage: options.bool('enable-garbage-collector'),
    },
    encryption: gathered.attempt(() => readEncryptionConfig(options)),
    tls: gathered.attempt(() => readTlsConfig(withOwn, dir)),
    adminToken: gathered.attempt(() => readAdminToken(options)),
    authentication: gathered.attempt(() =>
      readAuthenticationConfig(options, ownServiceAccountKey(options, dir), ownClientAuthority(options, dir)),
    ),
    authorization: gathered.attempt(() => readAuthorizationConfig(options)),
    admission: gathered.attempt(() => readAdmissionConfig(withOwn)),
    audit: gathered.attempt(() => readAuditConfig(options)),
    nodeAgents: gathered.attempt(() => readNodeAgentConfig(options)),
    programs: gathered.attempt(() => readProgramsConfig(options)),
  };
}

function readUnchecked(given: OptionValues, { dir }: ConfigDirectories): Omit<ServerConfig, keyof Checked> {
  const options = withOwnFiles(given, dir);
  const [low, high] = options.string('service-node-port-range').split('-').map(Number) as [number, number];
  return {
    component: options.component,
    dir,
    ownClientAuthority: ownClientAuthority(given, dir),
    notices: startNotices(options.component === 'up' ? upOptions : apiServerOptions, options),
    verbosity: options.int('v'),
    address: {
      advertised: advertisedAddress(options.string('advertise-address'), options.string('bind-address')),
      externalHostname: options.string('external-hostname'),
    },
    server: serverSettings(options),
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
      features: featureStates(FeatureGates.of(options)),
    },
    threads: threadThresholds(options),
    apiPage: options.bool('enable-apidoc-ui'),
    tracingEndpoint: options.string('tracing-otlp-endpoint'),
  };
}

/** As if the files that the start makes had been given: pods get tokens, and `/flagz` names the files. */
function withOwnFiles(options: OptionValues, dir: string): OptionValues {
  const key = ownServiceAccountKey(options, dir);
  const authority = ownClientAuthority(options, dir);
  return options.with({
    ...(key === undefined ? {} : { 'service-account-signing-key-file': key, 'service-account-key-file': [key] }),
    ...(authority === undefined ? {} : { 'client-ca-file': authority }),
  });
}
