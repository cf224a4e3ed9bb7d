import { persistentVolumeClaims, persistentVolumes } from '../../api/core/tokens.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import type { AdmissionPlugin } from '../admission.ts';
import { requestsOn } from '../handles.ts';

const PROTECTED = [
  { isNew: requestsOn(persistentVolumes, 'CREATE'), finalizer: 'kubernetes.io/pv-protection' },
  { isNew: requestsOn(persistentVolumeClaims, 'CREATE'), finalizer: 'kubernetes.io/pvc-protection' },
];

/** Protects claimed volumes, and claims that pods use, until a controller sees that they are free. */
export function storageObjectInUseProtectionPlugin(): AdmissionPlugin {
  return {
    name: 'StorageObjectInUseProtection',
    admit(request) {
      for (const { isNew, finalizer } of PROTECTED) if (isNew(request)) addFinalizer(request.object, finalizer);
    },
  };
}

function addFinalizer({ metadata }: ApiObject, finalizer: string): void {
  if (metadata.finalizers?.includes(finalizer) !== true)
    metadata.finalizers = [...(metadata.finalizers ?? []), finalizer];
}
