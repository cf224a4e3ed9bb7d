import { storageClasses } from '../../api/storage/tokens.ts';
import { persistentVolumeClaims } from '../../api/core/tokens.ts';
import { getKey } from '../../apimachinery/json/own-keys.ts';
import type { StorageClass } from '../../generated/types/storage-v1.ts';
import type { AdmissionPlugin } from '../admission.ts';
import type { ObjectLookup } from '../object-lookup.ts';
import { refusal } from '../refusal.ts';
import { handles, requestsOn } from '../handles.ts';

const DEFAULT = ['storageclass.kubernetes.io/is-default-class', 'storageclass.beta.kubernetes.io/is-default-class'];
const CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class';

/** Sets the default storage class of claims that name none; a claim with an empty class name keeps it. */
export function defaultStorageClassPlugin(lookup: ObjectLookup): AdmissionPlugin {
  return {
    name: 'DefaultStorageClass',
    admit: handles(requestsOn(persistentVolumeClaims, 'CREATE'), async (request) => {
      const { metadata, spec } = request.object;
      if (spec.storageClassName !== undefined || getKey(metadata.annotations, CLASS_ANNOTATION) !== undefined) return;
      const classes = (await lookup.list(storageClasses, '')).filter(isDefault);
      if (classes.length > 1)
        throw refusal(request, `Internal error occurred: ${classes.length} default StorageClasses were found`);
      const name = classes[0]?.metadata.name;
      if (name !== undefined) spec.storageClassName = name;
    }),
  };
}

function isDefault({ metadata }: StorageClass): boolean {
  return DEFAULT.some((annotation) => getKey(metadata.annotations, annotation) === 'true');
}
