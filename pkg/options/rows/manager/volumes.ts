import { durationMs } from '../../../apimachinery/values/duration.ts';
import { longerThanZero, notNegative } from '../../checks.ts';
import { managerGroup } from './manager-group.ts';

const BY_EVENT = 'attachments are compared with nodes when either changes';

/** Persistent volumes and their claims. */
export const volumesOptions = managerGroup('Volumes', [
  {
    name: 'pvclaimbinder-sync-period',
    type: 'duration',
    default: '15s',
    check: longerThanZero,
    help: 'Time between two looks at every volume and claim',
  },
  {
    name: 'attach-detach-reconcile-sync-period',
    type: 'duration',
    default: '1m0s',
    check: overOneSecond,
    inert: BY_EVENT,
    help: 'Time between two comparisons of attached volumes with nodes; more than one second',
  },
  {
    name: 'disable-attach-detach-reconcile-sync',
    type: 'bool',
    default: 'false',
    inert: BY_EVENT,
    help: 'Leave these comparisons out',
  },
  {
    name: 'disable-force-detach-on-timeout',
    type: 'bool',
    default: 'false',
    help: 'Do not detach volumes from a node that is not ready when unmounting takes too long',
  },
  {
    name: 'enable-dynamic-provisioning',
    type: 'bool',
    default: 'true',
    help: 'Make volumes for claims whose class has a provisioner',
  },
  {
    name: 'enable-hostpath-provisioner',
    type: 'bool',
    default: 'false',
    help: 'Make host-path volumes for claims; for development on one node',
  },
  {
    name: 'flex-volume-plugin-dir',
    type: 'string',
    default: '/usr/libexec/kubernetes/kubelet-plugins/volume/exec/',
    inert: 'volume plugins that are programs are not run',
    help: 'Directory of volume plugins',
  },
  {
    name: 'pv-recycler-minimum-timeout-nfs',
    type: 'int',
    default: '300',
    check: notNegative,
    help: 'Least seconds that a recycler of an NFS volume gets',
  },
  {
    name: 'pv-recycler-increment-timeout-nfs',
    aliases: ['pv-recycler-timeout-increment-nfs'],
    type: 'int',
    default: '30',
    check: notNegative,
    help: 'Seconds for each Gi of an NFS volume',
  },
  {
    name: 'pv-recycler-minimum-timeout-hostpath',
    type: 'int',
    default: '60',
    check: notNegative,
    help: 'Least seconds that a recycler of a host-path volume gets',
  },
  {
    name: 'pv-recycler-timeout-increment-hostpath',
    type: 'int',
    default: '30',
    check: notNegative,
    help: 'Seconds for each Gi of a host-path volume',
  },
  {
    name: 'pv-recycler-pod-template-filepath-nfs',
    type: 'string',
    file: true,
    help: 'File of the pod that recycles NFS volumes',
  },
  {
    name: 'pv-recycler-pod-template-filepath-hostpath',
    type: 'string',
    file: true,
    help: 'File of the pod that recycles host-path volumes',
  },
  {
    name: 'volume-host-cidr-denylist',
    type: 'stringSlice',
    inert: 'no volume plugin here opens connections',
    help: 'Ranges to which volume plugins must not connect',
  },
  {
    name: 'volume-host-allow-local-loopback',
    type: 'bool',
    default: 'true',
    inert: 'no volume plugin here opens connections',
    help: 'Whether volume plugins may connect to loopback addresses',
  },
]);

function overOneSecond(value: string): string | undefined {
  return durationMs(value)! > 1000 ? undefined : 'must be more than one second';
}
