import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import { field, type FieldPath } from '../../../apimachinery/errors/field-path.ts';
import { formatIp, parseCidr, parseIp } from '../../../apimachinery/names/ip.ts';
import { validateImmutableField } from '../../../apimachinery/meta/object-meta-validation.ts';
import type {
  AllocatedDeviceStatus,
  NetworkDeviceData,
  ResourceClaim,
  ResourceClaimConsumerReference,
  ResourceClaimStatus,
} from '../../../generated/types/resource-v1.ts';
import { validateConditions } from '../../validation/conditions.ts';
import { validateSet } from '../bounded-items.ts';
import { validateOpaqueObject } from '../device-configuration.ts';
import { validateDeviceName, validateDriverName, validatePoolName, validateShareId } from '../device-names.ts';
import { allocatedDevices, sharedDeviceName } from './allocated-devices.ts';
import { validateAllocation } from './allocation-validation.ts';
import { requestNames } from './request-names.ts';

const CONSUMERS_MAX = 256;
const CONDITIONS_MAX = 8;
const INTERFACE_NAME_BYTES_MAX = 256;
const HARDWARE_ADDRESS_BYTES_MAX = 128;
const ADDRESSES_MAX = 16;

export function validateClaimStatusUpdate(claim: ResourceClaim, old: ResourceClaim, errors: FieldErrors): void {
  const path = field('status');
  const { status } = claim;
  validateSet(status.reservedFor, CONSUMERS_MAX, validateConsumer, ({ uid }) => uid, path.child('reservedFor'), errors);
  const allocated = allocatedDevices(status.allocation);
  validateSet(
    status.devices,
    Infinity,
    (device, at) => validateDevice(device, allocated, at, errors),
    sharedDeviceName,
    path.child('devices'),
    errors,
  );
  validateReservations(claim, old.status, path.child('reservedFor'), errors);
  if (status.allocation === undefined) return;
  if (old.status.allocation !== undefined)
    validateImmutableField(status.allocation, old.status.allocation, path.child('allocation'), errors);
  else validateAllocation(status.allocation, requestNames(claim.spec.devices), path.child('allocation'), errors);
}

/** A claim without allocation, or about to be deallocated, cannot be reserved. */
function validateReservations(
  { metadata, status }: ResourceClaim,
  old: ResourceClaimStatus,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const consumers = status.reservedFor ?? [];
  if (consumers.length === 0) return;
  if (status.allocation === undefined)
    return errors.forbidden(path, 'may not be specified when `allocated` is not set');
  if (metadata.deletionTimestamp === undefined) return;
  const before = new Set((old.reservedFor ?? []).map(consumerKey));
  if (consumers.some((consumer) => !before.has(consumerKey(consumer)))) {
    errors.forbidden(path, 'new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set');
  }
}

function consumerKey({ apiGroup = '', resource, name, uid }: ResourceClaimConsumerReference): string {
  return JSON.stringify([apiGroup, resource, name, uid]);
}

function validateConsumer(
  { resource, name, uid }: ResourceClaimConsumerReference,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (resource === '') errors.required(path.child('resource'));
  if (name === '') errors.required(path.child('name'));
  if (uid === '') errors.required(path.child('uid'));
}

function validateDevice(
  device: AllocatedDeviceStatus,
  allocated: ReadonlySet<string>,
  path: FieldPath,
  errors: FieldErrors,
): void {
  validateDriverName(device.driver, path.child('driver'), errors);
  validatePoolName(device.pool, path.child('pool'), errors);
  validateDeviceName(device.device, path.child('device'), errors);
  if (device.shareID !== undefined) validateShareId(device.shareID, path.child('shareID'), errors);
  const name = sharedDeviceName(device);
  if (!allocated.has(name)) errors.invalid(path, name, 'must be an allocated device in the claim');
  const conditions = device.conditions ?? [];
  if (conditions.length > CONDITIONS_MAX) errors.tooMany(path.child('conditions'), conditions.length, CONDITIONS_MAX);
  else validateConditions(conditions, path.child('conditions'), errors);
  if (device.data != null) validateOpaqueObject(device.data, false, path.child('data'), errors);
  if (device.networkData !== undefined) validateNetworkData(device.networkData, path.child('networkData'), errors);
}

function validateNetworkData(
  { interfaceName = '', hardwareAddress = '', ips }: NetworkDeviceData,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (Buffer.byteLength(interfaceName) > INTERFACE_NAME_BYTES_MAX)
    errors.tooLong(path.child('interfaceName'), interfaceName, INTERFACE_NAME_BYTES_MAX);
  if (Buffer.byteLength(hardwareAddress) > HARDWARE_ADDRESS_BYTES_MAX)
    errors.tooLong(path.child('hardwareAddress'), hardwareAddress, HARDWARE_ADDRESS_BYTES_MAX);
  validateSet(ips, ADDRESSES_MAX, validateInterfaceAddress, (address) => address, path.child('ips'), errors);
}

/** The address of a network interface with the length of its network's prefix, in canonical form: `192.0.2.5/24`. */
function validateInterfaceAddress(text: string, path: FieldPath, errors: FieldErrors): void {
  const cidr = parseCidr(text);
  if (cidr === undefined)
    return errors.invalid(path, text, 'must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)');
  const canonical = `${formatIp(parseIp(text.slice(0, text.indexOf('/')))!)}/${cidr.prefixBits}`;
  if (canonical !== text) errors.invalid(path, text, `must be in canonical form ("${canonical}")`);
}
