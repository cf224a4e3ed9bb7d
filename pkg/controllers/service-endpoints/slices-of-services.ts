import { endpointSlices } from '../../api/discovery/tokens.ts';
import { isNotFound } from '../../apimachinery/errors/status-error.ts';
import type { EndpointSlice } from '../../generated/types/discovery-v1.ts';
import type { ControllerContext, FollowedObjects } from '../controller-context.ts';
import { WrittenObjects } from '../owned/written-objects.ts';
import type { QueueController } from '../queue-controller.ts';
import { MANAGED_BY, SERVICE_NAME, type SliceWrites } from './slice-changes.ts';

const BY_SERVICE = 'service';
/** Changes of slices by others are corrected after this long; one's own are among them, and change nothing then. */
const CHANGE_DELAY_MS = 1000;

function serviceOf({ metadata }: EndpointSlice): readonly string[] {
  const service = metadata.labels?.[SERVICE_NAME];
  return service === undefined ? [] : [`${metadata.namespace}/${service}`];
}

/** The slices that one controller manages, by `namespace/name` of their service. */
export class SlicesOfServices {
  readonly informer: FollowedObjects<EndpointSlice>;
  private readonly manager: string;
  private readonly client: ControllerContext['client'];
  private readonly written: WrittenObjects<EndpointSlice>;

  constructor({ client, informers, clock }: ControllerContext, manager: string) {
    const informer = informers.informer(endpointSlices);
    informer.addIndex(BY_SERVICE, serviceOf);
    this.informer = informer;
    this.manager = manager;
    this.client = client;
    this.written = new WrittenObjects<EndpointSlice>(informer, clock);
  }

  /** Those that are not being deleted. */
  of(key: string): readonly EndpointSlice[] {
    const shown = this.informer.lister.listByIndex(BY_SERVICE, key).filter((slice) => this.isManaged(slice));
    return this.written.view(key, shown).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  }

  writes(key: string): SliceWrites {
    const { client, written } = this;
    return {
      create: async (slice) => written.put(key, await client.create(endpointSlices, slice)),
      update: async (slice) => written.put(key, await client.update(endpointSlices, slice)),
      remove: async (slice) => {
        const { namespace, name, uid } = slice.metadata;
        try {
          await client.delete(endpointSlices, { namespace, name: name! }, { preconditions: { uid } });
        } catch (error) {
          if (!isNotFound(error)) throw error;
        }
        written.putDeleted(key, slice);
      },
    };
  }

  /** The service is gone. */
  forget(key: string): void {
    this.written.forget(key);
  }

  /** Queues the service of a slice that another program changed. */
  queueServices(controller: QueueController): void {
    const add = (slice: EndpointSlice): void => {
      for (const key of this.isManaged(slice) ? serviceOf(slice) : []) controller.queue.addAfter(key, CHANGE_DELAY_MS);
    };
    controller.handle(this.informer, {
      onAdd: (slice, isInInitialList) => {
        if (!isInInitialList) add(slice);
      },
      onUpdate: (old, current) => {
        if (old.metadata.generation === current.metadata.generation && old.metadata.labels === current.metadata.labels)
          return;
        add(old);
        add(current);
      },
      onDelete: add,
    });
  }

  private isManaged({ metadata }: EndpointSlice): boolean {
    return metadata.labels?.[MANAGED_BY] === this.manager;
  }
}
