import { getKey } from '../../../../apimachinery/json/own-keys.ts';
import { parseQuantity, type Quantity } from '../../../../apimachinery/values/quantity.ts';
import type { PersistentVolumeClaim } from '../../../../generated/types/core-v1.ts';
import type { QuotaEvaluator } from './evaluator.ts';
import { ONE } from './object-count-evaluator.ts';
import { isSelected } from './quota-scopes.ts';

const COUNT = 'count/persistentvolumeclaims';
const CLAIMS = 'persistentvolumeclaims';
const STORAGE = 'requests.storage';
const OF_CLASS = '.storageclass.storage.k8s.io/';
const CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class';

/** Counts volume claims and their requested storage, in total and by storage class. */
export const claimEvaluator: QuotaEvaluator<PersistentVolumeClaim> = {
  operations: ['CREATE', 'UPDATE'],
  counts: (name) =>
    name === COUNT ||
    name === CLAIMS ||
    name === STORAGE ||
    name.endsWith(`${OF_CLASS}${STORAGE}`) ||
    name.endsWith(`${OF_CLASS}${CLAIMS}`),
  usage(claim) {
    const storageClass =
      getKey<string>(claim.metadata.annotations, CLASS_ANNOTATION) ?? claim.spec.storageClassName ?? '';
    const usage = new Map<string, Quantity>([
      [COUNT, ONE],
      [CLAIMS, ONE],
    ]);
    if (storageClass !== '') usage.set(`${storageClass}${OF_CLASS}${CLAIMS}`, ONE);
    const storage = storageOf(claim);
    if (storage === undefined) return usage;
    usage.set(STORAGE, storage);
    if (storageClass !== '') usage.set(`${storageClass}${OF_CLASS}${STORAGE}`, storage);
    return usage;
  },
  inScope({ spec, status }, scope) {
    if (scope.scopeName !== 'VolumeAttributesClass') return false;
    const names = [
      spec.volumeAttributesClassName,
      status?.currentVolumeAttributesClassName,
      status?.modifyVolumeStatus?.targetVolumeAttributesClassName,
    ];
    const given = names.filter((name) => name !== undefined && name !== '') as string[];
    return given.length === 0 ? isSelected('', scope) : given.some((name) => isSelected(name, scope));
  },
};

/** In whole bytes, as quotas have to be; while a volume shrinks, its present size. */
function storageOf({ spec, status }: PersistentVolumeClaim): Quantity | undefined {
  const request = getKey<string>(spec.resources.requests, 'storage');
  if (request === undefined) return undefined;
  const [asked, held] = [
    parseQuantity(request),
    parseQuantity(getKey<string>(status?.allocatedResources, 'storage') ?? '0'),
  ];
  return (held.compare(asked) > 0 ? held : asked).roundUp(0);
}
