import { hostname } from 'node:os';
import { randomUUID } from 'node:crypto';
import { events } from '../../api/core/tokens.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import { createOwn } from '../own-writes.ts';
import type { StoreAccess } from '../store-access.ts';

/** The finding of a repair about a service or an address, as an event on the object. */
export interface AllocationEvent {
  readonly about: ApiObject;
  readonly reason: string;
  readonly action: string;
  readonly message: string;
}

const REPORTER = 'ipallocator-repair-controller';
/** Namespace of events about cluster-scoped objects. */
const NO_NAMESPACE = 'default';

/** Stores a warning about an object. */
export async function recordAllocationEvent(
  stores: StoreAccess,
  { about, reason, action, message }: AllocationEvent,
): Promise<void> {
  const { name = '', namespace = '', uid = '', resourceVersion = '' } = about.metadata;
  await createOwn(stores(events), {
    metadata: {
      name: `${name}.${randomUUID().replaceAll('-', '').slice(0, 16)}`,
      namespace: namespace || NO_NAMESPACE,
    },
    involvedObject: {
      kind: about.kind,
      apiVersion: about.apiVersion,
      name,
      uid,
      resourceVersion,
      ...(namespace === '' ? {} : { namespace }),
    },
    type: 'Warning',
    reason,
    action,
    message,
    eventTime: `${new Date().toISOString().slice(0, 23)}000Z`,
    reportingComponent: REPORTER,
    reportingInstance: `${REPORTER}-${hostname()}`.slice(0, 128),
  });
}
