import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../../apimachinery/errors/field-path.ts';
import type { Container, VolumeDevice, VolumeMount } from '../../../generated/types/core-v1.ts';
import { hasBackstep, validateLocalDescendingPath } from './local-path.ts';
import type { Volumes } from './volumes.ts';

const PROPAGATIONS = ['Bidirectional', 'HostToContainer', 'None'];
const RECURSIVE_READ_ONLY = ['Disabled', 'Enabled', 'IfPossible'];

/** Where a container mounts the pod's volumes as file systems, and where it sees them as block devices. */
export function validateMountsAndDevices(
  container: Container,
  volumes: Volumes,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const mounts = container.volumeMounts ?? [];
  const devices = container.volumeDevices ?? [];
  const others = { names: new Set(devices.map((d) => d.name)), paths: new Set(devices.map((d) => d.devicePath)) };
  const paths = new Set<string>();
  for (const [i, mount] of mounts.entries()) {
    validateMount(mount, volumes, paths, path.child('volumeMounts').index(i), errors);
    if (others.names.has(mount.name))
      errors.invalid(
        path.child('volumeMounts').index(i).child('name'),
        mount.name,
        'must not already exist in volumeDevices',
      );
    if (others.paths.has(mount.mountPath)) {
      errors.invalid(
        path.child('volumeMounts').index(i).child('mountPath'),
        mount.mountPath,
        'must not already exist as a path in volumeDevices',
      );
    }
    validateMountOptions(mount, container, volumes, path.child('volumeMounts'), i, errors);
  }
  validateDevices(devices, mounts, volumes, path.child('volumeDevices'), errors);
}

function validateMount(
  mount: VolumeMount,
  volumes: Volumes,
  paths: Set<string>,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (mount.name === '') errors.required(path.child('name'));
  if (!volumes.has(mount.name)) errors.notFound(path.child('name'), mount.name);
  if (mount.mountPath === '') errors.required(path.child('mountPath'));
  if (paths.has(mount.mountPath)) errors.invalid(path.child('mountPath'), mount.mountPath, 'must be unique');
  paths.add(mount.mountPath);
}

/** Some of these errors name the list and not its item, as Kubernetes does. */
function validateMountOptions(
  mount: VolumeMount,
  container: Container,
  volumes: Volumes,
  list: FieldPath,
  i: number,
  errors: FieldErrors,
): void {
  const { subPath, subPathExpr, mountPropagation } = mount;
  if (volumes.get(mount.name)?.image !== undefined) {
    if (subPath) errors.invalid(list.index(i).child('subPath'), subPath, 'not allowed in image volume sources');
    if (subPathExpr)
      errors.invalid(list.index(i).child('subPathExpr'), subPathExpr, 'not allowed in image volume sources');
  }
  if (subPath) validateLocalDescendingPath(subPath, list.child('subPath'), errors);
  if (subPathExpr) {
    if (subPath)
      errors.invalid(list.index(i).child('subPathExpr'), subPathExpr, 'subPathExpr and subPath are mutually exclusive');
    validateLocalDescendingPath(subPathExpr, list.child('subPathExpr'), errors);
  }
  if (mountPropagation !== undefined) {
    const at = list.child('mountPropagation');
    if (!PROPAGATIONS.includes(mountPropagation)) errors.notSupported(at, mountPropagation, PROPAGATIONS);
    if (mountPropagation === 'Bidirectional' && !container.securityContext?.privileged) {
      errors.forbidden(at, 'Bidirectional mount propagation is available only to privileged containers');
    }
  }
  validateRecursiveReadOnly(mount, list.child('recursiveReadOnly'), errors);
}

function validateRecursiveReadOnly(mount: VolumeMount, path: FieldPath, errors: FieldErrors): void {
  const { recursiveReadOnly, mountPropagation } = mount;
  if (recursiveReadOnly === undefined || recursiveReadOnly === 'Disabled') return;
  if (!RECURSIVE_READ_ONLY.includes(recursiveReadOnly))
    return errors.notSupported(path, recursiveReadOnly, RECURSIVE_READ_ONLY);
  if (!mount.readOnly) errors.forbidden(path, 'may only be specified when readOnly is true');
  if (mountPropagation !== undefined && mountPropagation !== 'None') {
    errors.forbidden(path, 'may only be specified when mountPropagation is None or not specified');
  }
}

function validateDevices(
  devices: readonly VolumeDevice[],
  mounts: readonly VolumeMount[],
  volumes: Volumes,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const mounted = { names: new Set(mounts.map((m) => m.name)), paths: new Set(mounts.map((m) => m.mountPath)) };
  const names = new Set<string>();
  const paths = new Set<string>();
  for (const [i, { name, devicePath }] of devices.entries()) {
    const namePath = path.index(i).child('name');
    const devicePathPath = path.index(i).child('devicePath');
    const volume = volumes.get(name);
    if (name === '') errors.required(namePath);
    if (names.has(name)) errors.invalid(namePath, name, 'must be unique');
    if (volume === undefined) errors.notFound(namePath, name);
    else if (volume.persistentVolumeClaim === undefined && volume.ephemeral === undefined) {
      errors.invalid(
        namePath,
        name,
        'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode',
      );
    }
    if (devicePath === '') errors.required(devicePathPath);
    if (paths.has(devicePath)) errors.invalid(devicePathPath, devicePath, 'must be unique');
    if (hasBackstep(devicePath)) errors.invalid(devicePathPath, devicePath, "can not contain backsteps ('..')");
    else paths.add(devicePath);
    if (mounted.names.has(name)) errors.invalid(namePath, name, 'must not already exist in volumeMounts');
    if (mounted.paths.has(devicePath))
      errors.invalid(devicePathPath, devicePath, 'must not already exist as a path in volumeMounts');
    if (name !== '') names.add(name);
  }
}
