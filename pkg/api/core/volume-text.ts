import { getKey } from '../../apimachinery/json/own-keys.ts';
import type { ObjectMeta } from '../../apimachinery/meta/object.ts';

/** The common part of the printed rows of volumes and their claims. */

/** The storage class in the annotation that objects from before 1.6 have instead of the field. */
export const STORAGE_CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class';

const SHORT_MODES = [
  ['ReadWriteOnce', 'RWO'],
  ['ReadOnlyMany', 'ROX'],
  ['ReadWriteMany', 'RWX'],
  ['ReadWriteOncePod', 'RWOP'],
] as const;

/** `RWO,RWX`. */
export function accessModesText(modes: readonly string[] | undefined): string {
  return SHORT_MODES.filter(([mode]) => modes?.includes(mode))
    .map(([, short]) => short)
    .join(',');
}

export function storageClassText(metadata: ObjectMeta, name: string | undefined): string {
  return getKey<string>(metadata.annotations, STORAGE_CLASS_ANNOTATION) ?? name ?? '';
}

/** The phase of an object that is being deleted is that. */
export function phaseText(metadata: ObjectMeta, phase: string | undefined): string {
  return metadata.deletionTimestamp == null ? (phase ?? '') : 'Terminating';
}

/** The amount of storage, `0` where there is none. */
export function storageText(amounts: Readonly<Record<string, string>> | undefined): string {
  return getKey<string>(amounts, 'storage') ?? '0';
}
