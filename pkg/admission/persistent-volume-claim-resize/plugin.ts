import { storageClasses } from '../../api/storage/tokens.ts';
import { persistentVolumeClaims } from '../../api/core/tokens.ts';
import { getKey } from '../../apimachinery/json/own-keys.ts';
import { compareQuantities } from '../../apimachinery/values/quantity.ts';
import type { PersistentVolumeClaim } from '../../generated/types/core-v1.ts';
import type { AdmissionPlugin } from '../admission.ts';
import type { ObjectLookup } from '../object-lookup.ts';
import { refusal } from '../refusal.ts';
import { handles, requestsOn } from '../handles.ts';

/** Allows a claim to request more only where its volume can grow. */
export function persistentVolumeClaimResizePlugin(lookup: ObjectLookup): AdmissionPlugin {
  return {
    name: 'PersistentVolumeClaimResize',
    validate: handles(requestsOn(persistentVolumeClaims, 'UPDATE'), async (request) => {
      const claim = request.object;
      const old = request.oldObject;
      if (compareQuantities(sizeOf(claim), sizeOf(old)) <= 0) return;
      if (old.status.phase !== 'Bound') throw refusal(request, 'Only bound persistent volume claims can be expanded');
      if (await canGrow(claim, old, lookup)) return;
      throw refusal(
        request,
        'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize',
      );
    }),
  };
}

function sizeOf({ spec }: PersistentVolumeClaim): string {
  return getKey<string>(spec.resources.requests, 'storage') ?? '0';
}

async function canGrow(
  claim: PersistentVolumeClaim,
  old: PersistentVolumeClaim,
  lookup: ObjectLookup,
): Promise<boolean> {
  const name = classOf(claim);
  if (name === '' || name !== classOf(old)) return false;
  const found = await lookup.get(storageClasses, '', name);
  return found?.allowVolumeExpansion === true;
}

function classOf({ metadata, spec }: PersistentVolumeClaim): string {
  return getKey<string>(metadata.annotations, 'volume.beta.kubernetes.io/storage-class') ?? spec.storageClassName ?? '';
}
