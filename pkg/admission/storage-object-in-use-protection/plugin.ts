import type { AdmissionPlugin } from '../admission.ts';
import { concerns } from '../handles.ts';

const FINALIZERS = {
  persistentvolumes: 'kubernetes.io/pv-protection',
  persistentvolumeclaims: 'kubernetes.io/pvc-protection',
} as const;

/** Holds volumes that are claimed and claims that pods use until a controller sees that nobody does any more. */
export function storageObjectInUseProtectionPlugin(): AdmissionPlugin {
  return {
    name: 'StorageObjectInUseProtection',
    admit(request) {
      for (const [resource, finalizer] of Object.entries(FINALIZERS)) {
        if (!concerns(request, '', resource, 'CREATE')) continue;
        const { metadata } = request.object!;
        if (metadata.finalizers?.includes(finalizer) !== true)
          metadata.finalizers = [...(metadata.finalizers ?? []), finalizer];
      }
    },
  };
}
