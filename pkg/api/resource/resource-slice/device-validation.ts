import { semanticDeepEqual } from '../../../apimachinery/json/deep.ts';
import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../../apimachinery/errors/field-path.ts';
import { parseQuantity } from '../../../apimachinery/values/quantity.ts';
import type { Device, NodeAllocatableResourceMapping } from '../../../generated/types/resource-v1.ts';
import { validateBindingConditions } from '../binding-conditions.ts';
import { validateEntries, validateSet } from '../bounded-items.ts';
import { QUALIFIED_NAME_BYTES_MAX, validateDeviceName, validateQualifiedDeviceName } from '../device-names.ts';
import { validateDeviceTaints } from '../device-taints.ts';
import { attributeValueCount, validateAttribute } from './attribute-validation.ts';
import { validateCapacity } from './capacity-validation.ts';
import { validateCounters } from './counters.ts';
import { nodeChoices } from './node-choice.ts';

const PROPERTIES_MAX = 32;
const ATTRIBUTE_VALUES_MAX = 48;
const COUNTER_CONSUMPTIONS_MAX = 2;
const CHOICES =
  'exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec';
const NAMED = { max: Infinity, shownKeyMax: QUALIFIED_NAME_BYTES_MAX, checkKey: validateQualifiedDeviceName };

/** One device of a slice. Capacities and taints that have not changed are not checked again. */
export function validateDevice(
  device: Device,
  old: Device | undefined,
  choosesNodes: boolean,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const { attributes = {}, capacity = {}, taints } = device;
  validateDeviceName(device.name, path.child('name'), errors);
  const properties = Object.keys(attributes).length + Object.keys(capacity).length;
  if (properties > PROPERTIES_MAX)
    errors.invalid(path, properties, `the total number of attributes and capacities must not exceed ${PROPERTIES_MAX}`);
  const values = attributeValueCount(attributes);
  if (values > ATTRIBUTE_VALUES_MAX)
    errors.invalid(path, values, `the total number of attribute values must not exceed ${ATTRIBUTE_VALUES_MAX}`);
  validateEntries(attributes, { ...NAMED, check: validateAttribute }, path.child('attributes'), errors);
  if (old === undefined || !semanticDeepEqual(old.capacity, device.capacity)) {
    validateEntries(
      capacity,
      { ...NAMED, check: (entry, at) => validateCapacity(entry, device.allowMultipleAllocations ?? false, at, errors) },
      path.child('capacity'),
      errors,
    );
  }
  if (old === undefined || !semanticDeepEqual(old.taints, taints))
    validateDeviceTaints(taints, path.child('taints'), errors);
  validateSet(
    device.consumesCounters,
    COUNTER_CONSUMPTIONS_MAX,
    ({ counterSet, counters }, at) => {
      validateCounters(counterSet, counters, at, 'counterSet', errors);
    },
    ({ counterSet }) => counterSet,
    path.child('consumesCounters'),
    errors,
  );
  validateNodes(device, choosesNodes, path, errors);
  validateBindingConditions(device, path, errors);
  validateMappings(device, path.child('nodeAllocatableResourceMappings'), errors);
}

function validateNodes(device: Device, choosesNodes: boolean, path: FieldPath, errors: FieldErrors): void {
  if (!choosesNodes) {
    if (device.nodeName === undefined && device.nodeSelector === undefined && device.allNodes === undefined) return;
    return errors.invalid(
      path,
      null,
      '`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec',
    );
  }
  const chosen = nodeChoices(device, 'must not be empty', path, errors);
  if (chosen.length === 0) errors.required(path, CHOICES);
  else if (chosen.length > 1) errors.invalid(path, `{${chosen.join(', ')}}`, CHOICES);
}

function validateMappings(
  { nodeAllocatableResourceMappings = {}, capacity = {} }: Device,
  path: FieldPath,
  errors: FieldErrors,
): void {
  for (const [resource, mapping] of Object.entries(nodeAllocatableResourceMappings))
    validateMapping(mapping, capacity, path.key(resource), errors);
}

function validateMapping(
  { capacityKey, allocationMultiplier }: NodeAllocatableResourceMapping,
  capacity: object,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (capacityKey !== undefined && !Object.hasOwn(capacity, capacityKey))
    errors.notFound(path.child('capacityKey'), capacityKey);
  if (capacityKey === undefined && allocationMultiplier === undefined)
    errors.required(path, 'at least one of capacityKey or allocationMultiplier must be set');
  if (allocationMultiplier !== undefined && parseQuantity(allocationMultiplier).sign() <= 0)
    errors.invalid(path.child('allocationMultiplier'), allocationMultiplier, 'must be positive');
}
