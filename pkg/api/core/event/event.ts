import { nameIsPathSegment } from '../../../apimachinery/names/names.ts';
import type { Event } from '../../../generated/types/core-v1.ts';
import { defineResource } from '../../resource-definition.ts';
import { eventFromHub, eventToHub, eventV1beta1FromHub } from './conversion.ts';
import { eventFieldLabels } from './field-labels.ts';
import { eventTable } from './table.ts';
import { STRICT_VERSION, validateEvent, validateEventUpdate } from './validation.ts';

/** A report of something that happened to an object. Both groups that serve events share one store. */
export const event = defineResource<Event>({
  group: '',
  resource: 'events',
  kind: 'Event',
  singular: 'event',
  shortNames: ['ev'],
  namespaced: true,
  hub: 'v1',
  storageVersion: 'v1',
  storagePath: 'events',
  versions: [
    { groupVersion: 'v1', message: 'core/v1.Event' },
    { groupVersion: 'events.k8s.io/v1', message: 'events/v1.Event', toHub: eventToHub, fromHub: eventFromHub },
    {
      groupVersion: 'events.k8s.io/v1beta1',
      message: 'events/v1beta1.Event',
      toHub: eventToHub,
      fromHub: eventV1beta1FromHub,
      deprecation: { deprecatedIn: '1.22', removedIn: '1.25', replacement: 'events.k8s.io/v1' },
    },
  ],
  // Old clients make names of any kind.
  validateName: nameIsPathSegment,
  validate: validateEvent,
  metadataChecksOnUpdate: ({ requestVersion }) => (requestVersion === STRICT_VERSION ? ['update'] : []),
  validateUpdate: validateEventUpdate,
  allowCreateOnUpdate: true,
  garbageCollectionDefault: () => 'unsupported',
  expires: true,
  errorsNamePathGroup: true,
  fieldLabels: eventFieldLabels,
  table: eventTable,
});
