import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import { field, type FieldPath } from '../../../apimachinery/errors/field-path.ts';
import { validateImmutableField } from '../../../apimachinery/meta/object-meta-validation.ts';
import type {
  CounterSet,
  Device,
  ResourcePool,
  ResourceSlice,
  ResourceSliceSpec,
} from '../../../generated/types/resource-v1.ts';
import { validateSet } from '../bounded-items.ts';
import { validateDriverName, validatePoolName } from '../device-names.ts';
import { validateCounters } from './counters.ts';
import { validateDevice } from './device-validation.ts';
import { nodeChoices } from './node-choice.ts';

const DEVICES_MAX = 128;
/** Where devices have taints, share counters or have lists for attributes. */
const LARGE_DEVICES_MAX = 64;
const COUNTER_SETS_MAX = 8;
const CHOICES = '`nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection`';

export function validateResourceSlice({ spec }: ResourceSlice, errors: FieldErrors): void {
  validateSpec(spec, undefined, errors);
}

export function validateResourceSliceUpdate({ spec }: ResourceSlice, old: ResourceSlice, errors: FieldErrors): void {
  validateSpec(spec, old.spec, errors);
}

function validateSpec(spec: ResourceSliceSpec, old: ResourceSliceSpec | undefined, errors: FieldErrors): void {
  const path = field('spec');
  validateDriverName(spec.driver, path.child('driver'), errors);
  validatePool(spec.pool, path.child('pool'), errors);
  if (old !== undefined) {
    validateImmutableField(spec.pool.name, old.pool.name, path.child('pool', 'name'), errors);
    validateImmutableField(spec.driver, old.driver, path.child('driver'), errors);
    validateImmutableField(spec.nodeName, old.nodeName, path.child('nodeName'), errors);
  }
  validateNodes(spec, path, errors);
  if (spec.sharedCounters !== undefined && spec.devices !== undefined)
    errors.invalid(path, '', 'only one of `sharedCounters` or `devices` is allowed');
  validateDevices(spec, old, path.child('devices'), errors);
  validateSet(
    spec.sharedCounters,
    COUNTER_SETS_MAX,
    validateCounterSet,
    ({ name }) => name,
    path.child('sharedCounters'),
    errors,
  );
}

function validatePool(
  { name, resourceSliceCount, generation }: ResourcePool,
  path: FieldPath,
  errors: FieldErrors,
): void {
  validatePoolName(name, path.child('name'), errors);
  if (resourceSliceCount <= 0)
    errors.invalid(path.child('resourceSliceCount'), resourceSliceCount, 'must be greater than zero');
  if (generation < 0) errors.invalid(path.child('generation'), generation, 'must be greater than or equal to zero');
}

function validateNodes(spec: ResourceSliceSpec, path: FieldPath, errors: FieldErrors): void {
  const chosen = nodeChoices(spec, 'must be either unset or set to a non-empty string', path, errors);
  const terms = spec.nodeSelector?.nodeSelectorTerms ?? [];
  // So that the selectors of several slices can be joined into one.
  if (spec.nodeSelector !== undefined && terms.length !== 1) {
    errors.invalid(path.child('nodeSelector', 'nodeSelectorTerms'), terms, 'must have exactly one node selector term');
  }
  if (spec.perDeviceNodeSelection === true) chosen.push('`perDeviceNodeSelection`');
  if (spec.perDeviceNodeSelection === false)
    errors.invalid(path.child('perDeviceNodeSelection'), false, 'must be either unset or set to true');
  if (chosen.length === 0) errors.required(path, `exactly one of ${CHOICES} is required`);
  else if (chosen.length > 1)
    errors.invalid(
      path,
      `{${chosen.join(', ')}}`,
      `exactly one of ${CHOICES} is required, but multiple fields are set`,
    );
}

function validateDevices(
  spec: ResourceSliceSpec,
  old: ResourceSliceSpec | undefined,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const devices = spec.devices ?? [];
  const oldDevices = new Map((old?.devices ?? []).map((device) => [device.name, device]));
  const max = devices.some(isLarge) ? LARGE_DEVICES_MAX : DEVICES_MAX;
  validateSet(
    devices,
    max,
    (device, at) => {
      validateDevice(device, oldDevices.get(device.name), spec.perDeviceNodeSelection ?? false, at, errors);
    },
    ({ name }) => name,
    path,
    errors,
  );
}

function isLarge({ taints, consumesCounters, attributes }: Device): boolean {
  if ((taints?.length ?? 0) > 0 || (consumesCounters?.length ?? 0) > 0) return true;
  return Object.values(attributes ?? {}).some(({ bools, ints, strings, versions }) =>
    [bools, ints, strings, versions].some((list) => list !== undefined),
  );
}

function validateCounterSet({ name, counters }: CounterSet, path: FieldPath, errors: FieldErrors): void {
  validateCounters(name, counters, path, 'name', errors);
}
