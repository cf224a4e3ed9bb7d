import { semanticDeepEqual } from '../../../apimachinery/json/deep.ts';
import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import { field, type FieldPath } from '../../../apimachinery/errors/field-path.ts';
import { goStruct } from '../../../apimachinery/values/go-format.ts';
import { nameIsDns1123Subdomain } from '../../../apimachinery/names/names.ts';
import { FIELD_IMMUTABLE } from '../../../apimachinery/meta/object-meta-validation.ts';
import type {
  VolumeAttachment,
  VolumeAttachmentSource,
  VolumeAttachmentSpec,
  VolumeAttachmentStatus,
  VolumeError,
} from '../../../generated/types/storage-v1.ts';
import type { StrategyContext } from '../../resource-definition.ts';
import { validateCsiDriverName } from '../csi-driver-name.ts';
import { STORAGE_V1 } from '../storage-group.ts';
import { validateInlineVolume } from './inline-volume-validation.ts';

const METADATA_BYTES_MAX = 256 * 1024;
const MESSAGE_BYTES_MAX = 1024;
const ONE_SOURCE = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName';

/** New attachments are checked more strictly through v1 than they were through older versions. */
export function validateVolumeAttachment(
  object: VolumeAttachment,
  errors: FieldErrors,
  { requestVersion }: StrategyContext,
): void {
  validateLoosely(object, errors);
  if (requestVersion !== STORAGE_V1) return;
  const path = field('spec');
  validateCsiDriverName(object.spec.attacher, path.child('attacher'), errors);
  const volume = object.spec.source.persistentVolumeName;
  if (volume === undefined) return;
  for (const problem of nameIsDns1123Subdomain(volume, false))
    errors.invalid(path.child('source', 'persistentVolumeName'), volume, problem);
}

/** The spec is immutable; stock servers check the rest of an update twice, and report errors twice. */
export function validateVolumeAttachmentUpdate(
  object: VolumeAttachment,
  old: VolumeAttachment,
  errors: FieldErrors,
): void {
  validateLoosely(object, errors);
  validateLoosely(object, errors);
  if (!semanticDeepEqual(object.spec, old.spec)) errors.invalid(field('spec'), goSpec(object.spec), FIELD_IMMUTABLE);
}

function validateLoosely({ spec, status }: VolumeAttachment, errors: FieldErrors): void {
  const path = field('spec');
  if (spec.attacher === '') errors.required(path.child('attacher'));
  validateSource(spec.source, path.child('source'), errors);
  for (const problem of nameIsDns1123Subdomain(spec.nodeName, false))
    errors.invalid(path.child('nodeName'), spec.nodeName, problem);
  validateStatus(status, field('status'), errors);
}

function validateSource(
  { inlineVolumeSpec, persistentVolumeName }: VolumeAttachmentSource,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (inlineVolumeSpec === undefined && persistentVolumeName === undefined) errors.required(path, ONE_SOURCE);
  else if (inlineVolumeSpec !== undefined && persistentVolumeName !== undefined) errors.forbidden(path, ONE_SOURCE);
  else if (inlineVolumeSpec !== undefined)
    validateInlineVolume(inlineVolumeSpec, path.child('inlineVolumeSpec'), errors);
  else if (persistentVolumeName === '')
    errors.required(path.child('persistentVolumeName'), 'must specify non empty persistentVolumeName');
}

function validateStatus(status: VolumeAttachmentStatus, path: FieldPath, errors: FieldErrors): void {
  let bytes = 0;
  for (const [key, value] of Object.entries(status.attachmentMetadata ?? {}))
    bytes += Buffer.byteLength(key) + Buffer.byteLength(value);
  if (bytes > METADATA_BYTES_MAX)
    errors.tooLong(path.child('attachmentMetadata'), status.attachmentMetadata, METADATA_BYTES_MAX);
  validateVolumeError(status.attachError, path.child('attachError'), errors);
  validateVolumeError(status.detachError, path.child('detachError'), errors);
}

function validateVolumeError(error: VolumeError | undefined, path: FieldPath, errors: FieldErrors): void {
  const message = error?.message ?? '';
  // Stock servers name the limit of the metadata.
  if (Buffer.byteLength(message) > MESSAGE_BYTES_MAX)
    errors.tooLong(path.child('message'), message, METADATA_BYTES_MAX);
}

function goSpec({ attacher, source, nodeName }: VolumeAttachmentSpec): unknown {
  return goStruct({
    Attacher: attacher,
    Source: goStruct({ PersistentVolumeName: source.persistentVolumeName ?? null, InlineVolumeSpec: null }),
    NodeName: nodeName,
  });
}
