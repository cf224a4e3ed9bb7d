import { semanticDeepEqual } from '../../../apimachinery/json/deep.ts';
import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import { field } from '../../../apimachinery/errors/field-path.ts';
import type { DeviceClass } from '../../../generated/types/resource-v1.ts';
import { isExtendedResourceName } from '../../validation/resource-names.ts';
import { validateItems } from '../bounded-items.ts';
import { CONFIGURATIONS_MAX, validateDeviceConfiguration } from '../device-configuration.ts';
import { validateDeviceSelectors } from '../device-selectors.ts';

export function validateDeviceClass(object: DeviceClass, errors: FieldErrors): void {
  validateSpec(object, false, errors);
}

export function validateDeviceClassUpdate(object: DeviceClass, old: DeviceClass, errors: FieldErrors): void {
  validateSpec(object, semanticDeepEqual(object.spec.config, old.spec.config), errors);
}

function validateSpec({ spec }: DeviceClass, configIsStored: boolean, errors: FieldErrors): void {
  const path = field('spec');
  validateDeviceSelectors(spec.selectors, path.child('selectors'), errors);
  validateItems(
    spec.config,
    CONFIGURATIONS_MAX,
    (config, at) => validateDeviceConfiguration(config, configIsStored, at, errors),
    path.child('config'),
    errors,
  );
  const name = spec.extendedResourceName;
  if (name !== undefined && !isExtendedResourceName(name))
    errors.invalid(path.child('extendedResourceName'), name, 'must be a valid extended resource name');
}
