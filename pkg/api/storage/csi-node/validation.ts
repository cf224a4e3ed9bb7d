import { semanticDeepEqual } from '../../../apimachinery/json/deep.ts';
import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import { field, type FieldPath } from '../../../apimachinery/errors/field-path.ts';
import { goStruct } from '../../../apimachinery/values/go-format.ts';
import { isQualifiedName } from '../../../apimachinery/names/names.ts';
import { FIELD_IMMUTABLE, validateNonNegative } from '../../../apimachinery/meta/object-meta-validation.ts';
import type { CSINode, CSINodeDriver } from '../../../generated/types/storage-v1.ts';
import { validateCsiDriverName } from '../csi-driver-name.ts';

const NODE_ID_BYTES_MAX = 192;

export function validateCsiNode({ spec }: CSINode, errors: FieldErrors): void {
  const path = field('spec', 'drivers');
  const names = new Set<string>();
  for (const [i, driver] of (spec.drivers ?? []).entries()) {
    validateDriver(driver, names.has(driver.name), path.index(i), errors);
    names.add(driver.name);
  }
}

/**
 * Drivers may be added and removed but not changed. Stock servers check the rest of an update twice, and report errors
 * twice.
 */
export function validateCsiNodeUpdate(object: CSINode, old: CSINode, errors: FieldErrors): void {
  validateCsiNode(object, errors);
  validateCsiNode(object, errors);
  const drivers = new Map((object.spec.drivers ?? []).map((driver) => [driver.name, driver]));
  for (const before of old.spec.drivers ?? []) {
    const driver = drivers.get(before.name);
    if (driver !== undefined && !semanticDeepEqual(driver, before))
      errors.invalid(field('CSINodeDriver'), goDriver(driver), FIELD_IMMUTABLE);
  }
}

function validateDriver(driver: CSINodeDriver, duplicate: boolean, path: FieldPath, errors: FieldErrors): void {
  validateCsiDriverName(driver.name, path.child('name'), errors);
  if (driver.nodeID === '') errors.required(path.child('nodeID'));
  if (Buffer.byteLength(driver.nodeID) > NODE_ID_BYTES_MAX) {
    errors.invalid(path.child('nodeID'), driver.nodeID, `must be ${NODE_ID_BYTES_MAX} characters or less`);
  }
  validateNonNegative(driver.allocatable?.count, path.child('allocatable', 'count'), errors);
  if (duplicate) errors.duplicate(path.child('name'), driver.name);
  const keys = new Set<string>();
  for (const key of driver.topologyKeys ?? []) {
    if (key === '') errors.required(path);
    if (keys.has(key)) errors.duplicate(path, key);
    keys.add(key);
    for (const problem of isQualifiedName(key)) errors.invalid(path, key, problem);
  }
}

function goDriver({ name, nodeID, topologyKeys, allocatable }: CSINodeDriver): unknown {
  return goStruct({
    Name: name,
    NodeID: nodeID,
    TopologyKeys: topologyKeys ?? null,
    Allocatable: allocatable === undefined ? null : goStruct({ Count: allocatable.count ?? null }),
  });
}
