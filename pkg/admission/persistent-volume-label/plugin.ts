import { persistentVolumes } from '../../api/core/tokens.ts';
import { getKey } from '../../apimachinery/json/own-keys.ts';
import type { PersistentVolume } from '../../generated/types/core-v1.ts';
import type { AdmissionPlugin } from '../admission.ts';
import { refusal } from '../refusal.ts';
import { handles, requestsOn } from '../handles.ts';

/** Volumes of cloud disks, with the name of the provider that would know the disk. */
const DISKS = [
  ['awsElasticBlockStore', 'volumeID', 'AWS EBS volume', 'AWS cloud provider for EBS'],
  ['gcePersistentDisk', 'pdName', 'GCE PD volume', 'GCE cloud provider for PD'],
  ['azureDisk', 'diskName', 'AzureDisk volume', 'Azure cloud provider for AzureDisk'],
  ['cinder', 'volumeID', 'Cinder volume', 'OpenStack cloud provider for Cinder disk'],
  ['vsphereVolume', 'volumePath', 'vSphere Volume', 'vSphere cloud provider'],
] as const;

/** Placeholder for the disk that a provisioner is about to create. */
const PROVISIONED_LATER = 'placeholder-for-provisioning';
const ZONE_AND_REGION = [
  ['topology.kubernetes.io/zone', 'topology.kubernetes.io/region'],
  ['failure-domain.beta.kubernetes.io/zone', 'failure-domain.beta.kubernetes.io/region'],
] as const;
const PROVISIONED_BY = 'pv.kubernetes.io/provisioned-by';

/**
 * Labels volumes of cloud disks with the zone of the disk. This server has no cloud provider to ask, and answers as a
 * server whose provider cannot be built: such volumes are refused unless a provisioner has labelled them. Other volumes
 * pass.
 */
export function persistentVolumeLabelPlugin(): AdmissionPlugin {
  return {
    name: 'PersistentVolumeLabel',
    admit: handles(requestsOn(persistentVolumes, 'CREATE'), (request) => {
      const { metadata, spec } = request.object;
      if (isLabelled(metadata)) return;
      for (const [source, field, what, provider] of DISKS) {
        const disk = getKey<object>(spec, source);
        if (disk === undefined) continue;
        const name = getKey<string>(disk, field) ?? '';
        if (name === PROVISIONED_LATER && source !== 'vsphereVolume') return;
        throw refusal(request, `error querying ${what} ${name}: unable to build ${provider}`);
      }
    }),
  };
}

function isLabelled({ labels, annotations }: PersistentVolume['metadata']): boolean {
  if (getKey(annotations, PROVISIONED_BY) === undefined) return false;
  return ZONE_AND_REGION.some((pair) => pair.every((label) => getKey(labels, label) !== undefined));
}
