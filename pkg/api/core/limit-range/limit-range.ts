import { randomUUID } from 'node:crypto';
import { nameIsDns1123Subdomain } from '../../../apimachinery/names/names.ts';
import type { LimitRange } from '../../../generated/types/core-v1.ts';
import { defineResource } from '../../resource-definition.ts';
import { setLimitRangeDefaults } from './defaults.ts';
import { validateLimitRange } from './validation.ts';

/** Bounds and defaults for the usage of single objects of a namespace. */
export const limitRange = defineResource<LimitRange>({
  group: '',
  resource: 'limitranges',
  kind: 'LimitRange',
  singular: 'limitrange',
  shortNames: ['limits'],
  namespaced: true,
  hub: 'v1',
  storageVersion: 'v1',
  storagePath: 'limitranges',
  versions: [{ groupVersion: 'v1', message: 'core/v1.LimitRange', setDefaults: setLimitRangeDefaults }],
  validateName: nameIsDns1123Subdomain,
  prepareForCreate({ metadata }) {
    // The one kind whose name may be left out.
    metadata.name ||= randomUUID();
  },
  validate: validateLimitRange,
  metadataChecksOnUpdate: ['object'],
  validateUpdate: (object, _old, errors) => validateLimitRange(object, errors),
  allowCreateOnUpdate: true,
});
