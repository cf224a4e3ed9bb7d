import { getKey } from '../../apimachinery/own-keys.ts';
import { parseQuantity, type Quantity } from '../../apimachinery/quantity.ts';
import type { PersistentVolumeClaim } from '../../generated/types/core-v1.ts';
import type { QuotaEvaluator } from './evaluator.ts';
import { ONE } from './object-count-evaluator.ts';

const COUNT = 'count/persistentvolumeclaims';
const CLAIMS = 'persistentvolumeclaims';
const STORAGE = 'requests.storage';
const OF_CLASS = '.storageclass.storage.k8s.io/';
const CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class';

/** Counts volume claims and the storage that they ask for, in total and by storage class. */
export const claimEvaluator: QuotaEvaluator = {
  operations: ['CREATE', 'UPDATE'],
  counts: (name) => name === COUNT || name === CLAIMS || name === STORAGE || name.endsWith(`${OF_CLASS}${STORAGE}`) || name.endsWith(`${OF_CLASS}${CLAIMS}`),
  usage(object) {
    const claim = object as PersistentVolumeClaim;
    const storageClass = getKey<string>(claim.metadata.annotations, CLASS_ANNOTATION) ?? claim.spec.storageClassName ?? '';
    const usage = new Map<string, Quantity>([[COUNT, ONE], [CLAIMS, ONE]]);
    if (storageClass !== '') usage.set(`${storageClass}${OF_CLASS}${CLAIMS}`, ONE);
    const request = getKey<string>(claim.spec.resources.requests, 'storage');
    if (request === undefined) return usage;
    const amount = parseQuantity(request);
    usage.set(STORAGE, amount);
    if (storageClass !== '') usage.set(`${storageClass}${OF_CLASS}${STORAGE}`, amount);
    return usage;
  },
};
