import { readFileSync } from 'node:fs';
import { parseYaml } from '../codec/yaml.ts';
import type { AuthoritySource, ControllersConfig } from '../controllers/controllers-config.ts';
import type { Pod } from '../generated/types/core-v1.ts';
import type { OptionValues } from '../options/option.ts';
import { signers } from '../options/rows/manager/certificates.ts';
import { readNodeIpamConfig } from './node-ipam-config.ts';

export const builtInSigners: readonly string[] = Object.values(signers);
/** Those whose certificates name users of the API. */
export const clientSigners: readonly string[] = [signers['kubelet-client'], signers['kube-apiserver-client']];

/** What the options say to single controllers. Reads the files that they name; throws where one cannot be read. */
export function readControllersConfig(options: OptionValues): ControllersConfig {
  const int = (name: string): number => options.int(name);
  const ms = (name: string): number => options.durationMs(name);
  return {
    workers: {
      deployment: int('concurrent-deployment-syncs'),
      replicaSet: int('concurrent-replicaset-syncs'),
      replicationController: int('concurrent_rc_syncs'),
      statefulSet: int('concurrent-statefulset-syncs'),
      daemonSet: int('concurrent-daemonset-syncs'),
      job: int('concurrent-job-syncs'),
      cronJob: int('concurrent-cron-job-syncs'),
      ttlAfterFinished: int('concurrent-ttl-after-finished-syncs'),
      endpoint: int('concurrent-endpoint-syncs'),
      endpointSlice: int('concurrent-service-endpoint-syncs'),
      endpointSliceMirroring: int('mirroring-concurrent-service-endpoint-syncs'),
      service: int('concurrent-service-syncs'),
      namespace: int('concurrent-namespace-syncs'),
      serviceAccountToken: int('concurrent-serviceaccount-token-syncs'),
      garbageCollector: int('concurrent-gc-syncs'),
      ephemeralVolume: int('concurrent-ephemeralvolume-syncs'),
      horizontalPodAutoscaler: int('concurrent-horizontal-pod-autoscaler-syncs'),
      resourceClaim: int('concurrent-resource-claim-syncs'),
      resourceQuota: int('concurrent-resource-quota-syncs'),
    },
    namespace: { resyncMs: ms('namespace-sync-period') },
    resourceQuota: { resyncMs: ms('resource-quota-sync-period') },
    garbageCollector: { enabled: options.bool('enable-garbage-collector') },
    podGc: { terminatedPodsMax: int('terminated-pod-gc-threshold') },
    endpoint: { batchMs: ms('endpoint-updates-batch-period') },
    endpointSlice: { batchMs: ms('endpointslice-updates-batch-period'), endpointsMax: int('max-endpoints-per-slice') },
    endpointSliceMirroring: {
      batchMs: ms('mirroring-endpointslice-updates-batch-period'),
      endpointsMax: int('mirroring-max-endpoints-per-subset'),
    },
    accounts: {
      rootCa: fileOf(options, 'root-ca-file'),
      privateKey: fileOf(options, 'service-account-private-key-file'),
      tokenCleanUpMs: ms('legacy-service-account-token-clean-up-period'),
    },
    signing: { durationMs: ms('cluster-signing-duration'), authorities: authoritiesOf(options) },
    nodeLifecycle: {
      monitorPeriodMs: ms('node-monitor-period'),
      monitorGraceMs: ms('node-monitor-grace-period'),
      startupGraceMs: ms('node-startup-grace-period'),
      evictionRate: options.float('node-eviction-rate'),
      secondaryEvictionRate: options.float('secondary-node-eviction-rate'),
      largeClusterSize: int('large-cluster-size-threshold'),
      unhealthyZoneThreshold: options.float('unhealthy-zone-threshold'),
      taintManager: options.bool('enable-taint-manager'),
    },
    nodeIpam: readNodeIpamConfig(options),
    route: { configure: options.bool('configure-cloud-routes'), periodMs: ms('route-reconciliation-period') },
    clusterName: options.string('cluster-name'),
    volumes: {
      binderPeriodMs: ms('pvclaimbinder-sync-period'),
      forceDetachOnTimeout: !options.bool('disable-force-detach-on-timeout'),
      dynamicProvisioning: options.bool('enable-dynamic-provisioning'),
      hostPathProvisioner: options.bool('enable-hostpath-provisioner'),
      recyclers: {
        nfs: {
          minimumSeconds: options.int('pv-recycler-minimum-timeout-nfs'),
          incrementSeconds: options.int('pv-recycler-increment-timeout-nfs'),
          ...podTemplate(options, 'pv-recycler-pod-template-filepath-nfs'),
        },
        hostPath: {
          minimumSeconds: options.int('pv-recycler-minimum-timeout-hostpath'),
          incrementSeconds: options.int('pv-recycler-timeout-increment-hostpath'),
          ...podTemplate(options, 'pv-recycler-pod-template-filepath-hostpath'),
        },
      },
    },
    autoscaling: {
      periodMs: ms('horizontal-pod-autoscaler-sync-period'),
      downscaleDelayMs: ms('horizontal-pod-autoscaler-downscale-delay'),
      tolerance: options.float('horizontal-pod-autoscaler-tolerance'),
      cpuInitializationMs: ms('horizontal-pod-autoscaler-cpu-initialization-period'),
      initialReadinessMs: ms('horizontal-pod-autoscaler-initial-readiness-delay'),
    },
  };
}

/** The authority of each signer: its own, or the one for all. Its files are read again for each certificate. */
function authoritiesOf(options: OptionValues): ReadonlyMap<string, AuthoritySource> {
  const pair = (infix: string): AuthoritySource | undefined => {
    const [certFile, keyFile] = ['cert', 'key'].map((part) => options.string(`cluster-signing-${infix}${part}-file`));
    if (!certFile || !keyFile) return undefined;
    const read: AuthoritySource = () => ({
      certificate: readFileSync(certFile, 'utf8'),
      privateKey: readFileSync(keyFile, 'utf8'),
    });
    read();
    return read;
  };
  const common = pair('');
  return new Map(
    Object.entries(signers).flatMap(([infix, signer]) => {
      const authority = pair(`${infix}-`) ?? common;
      return authority === undefined ? [] : [[signer, authority] as const];
    }),
  );
}

/** The pod of a file in YAML or JSON; its first volume is where the one to recycle comes. */
function podTemplate(options: OptionValues, name: string): { readonly template?: Pod } {
  const text = fileOf(options, name);
  if (text === '') return {};
  const template = parseYaml(text) as Pod | undefined;
  if ((template?.spec?.volumes ?? []).length === 0) throw new Error(`--${name}: the pod has no volume to recycle`);
  return { template: template! };
}

function fileOf(options: OptionValues, name: string): string {
  const file = options.string(name);
  return file === '' ? '' : readFileSync(file, 'utf8');
}
