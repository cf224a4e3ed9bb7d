import { controllerRevisions } from '../../api/apps/tokens.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import { claimObjects, type AdoptionOptions } from '../../client/reconcile/adoption.ts';
import type { ControllerRevision } from '../../generated/types/apps-v1.ts';
import type { ControllerContext, FollowedObjects } from '../controller-context.ts';
import { ObjectsByController } from '../owned/pod-indexes.ts';
import { WrittenObjects } from '../owned/written-objects.ts';
import { createRevision } from './revisions.ts';

/** What one reconcile does to the history of its set. */
export interface RevisionSteps {
  /** Revisions of the set, after adopting and releasing. */
  readonly claimRevisions: () => Promise<readonly ControllerRevision[]>;
  /** Undefined: the name has other data. */
  readonly createRevision: (revision: ControllerRevision) => Promise<ControllerRevision | undefined>;
  readonly updateRevision: (revision: ControllerRevision) => Promise<ControllerRevision>;
  readonly deleteRevision: (revision: ControllerRevision) => Promise<void>;
}

/** The revisions of all sets of one kind, as they are after what their controller itself has written. */
export class OwnedRevisions {
  readonly informer: FollowedObjects<ControllerRevision>;
  private readonly byOwner: ObjectsByController<ControllerRevision>;
  private readonly written: WrittenObjects<ControllerRevision>;
  private readonly client: ControllerContext['client'];

  constructor({ client, informers, clock }: ControllerContext) {
    this.client = client;
    this.informer = informers.informer(controllerRevisions);
    this.byOwner = new ObjectsByController(this.informer);
    this.written = new WrittenObjects(this.informer, clock);
  }

  /** `keepsOthers`: revisions whose labels no longer match are left with the set, though not in its history. */
  stepsOf<O extends ApiObject>(
    claim: Omit<AdoptionOptions<O, ControllerRevision>, 'resource'>,
    { keepsOthers = false } = {},
  ): RevisionSteps {
    const { client, written } = this;
    const { namespace = '', uid = '' } = claim.owner.metadata;
    const isPartOfHistory = ({ metadata }: ControllerRevision): boolean =>
      metadata.deletionTimestamp === undefined && (!keepsOthers || claim.selector.matches(metadata.labels));
    return {
      claimRevisions: () =>
        claimObjects(
          [...written.view(uid, this.byOwner.ownedBy(uid)).filter(isPartOfHistory), ...this.byOwner.orphans(namespace)],
          { ...claim, resource: controllerRevisions },
        ),
      createRevision: async (revision) => {
        const created = await createRevision(client, revision);
        if (created !== undefined) written.put(uid, created);
        return created;
      },
      updateRevision: (revision) => client.update(controllerRevisions, revision),
      deleteRevision: async (revision) => {
        await client.delete(controllerRevisions, { namespace, name: revision.metadata.name! });
        written.putDeleted(uid, revision);
      },
    };
  }

  /** The set is gone. */
  forget(uid: string): void {
    this.written.forget(uid);
  }
}
