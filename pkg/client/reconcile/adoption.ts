import type { Resource } from '../../api/resource.ts';
import { isInvalid, isNotFound } from '../../apimachinery/errors/status-error.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import type { LabelSelector } from '../../apimachinery/selectors/label-selector.ts';
import type { Client, ObjectName } from '../rest/client.ts';
import { controllerOf, controllerReference } from './owner-references.ts';

export interface AdoptionOptions<O extends ApiObject, T extends ApiObject> {
  readonly client: Client;
  readonly ownerResource: Resource<O>;
  readonly owner: O;
  /** Of the dependents. */
  readonly resource: Resource<T>;
  readonly selector: LabelSelector;
  /** What else makes an object one of the owner's. */
  readonly matches?: (object: T) => boolean;
  /** Finalizers that an adopted object gets, such as that of a Job on its pods. */
  readonly finalizers?: readonly string[];
  /**
   * Asked once before the first adoption: throws where the owner, read from the server, is being deleted or is another
   * object by now.
   */
  readonly canAdopt: () => Promise<void>;
}

/**
 * The dependents of an owner among candidates: adopts those that its selector matches and that have no controller,
 * releases those that it controls and whose labels have changed. Objects of other controllers are left alone.
 *
 * Rejects with the first failure, such as that of an object which another owner has adopted meanwhile; deleted objects
 * are no failures.
 */
export async function claimObjects<O extends ApiObject, T extends ApiObject>(
  candidates: readonly T[],
  options: AdoptionOptions<O, T>,
): Promise<T[]> {
  const claims = new ObjectClaims(options);
  const outcomes = await Promise.allSettled(candidates.map((object) => claims.claim(object)));
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  return candidates.filter((_, i) => (outcomes[i] as PromiseFulfilledResult<boolean>).value);
}

/** Reads the owner from the server before it adopts. Throws where it is not the same, or is being deleted. */
export async function checkCanAdopt<O extends ApiObject>(
  client: Client,
  resource: Resource<O>,
  owner: O,
): Promise<void> {
  const { uid, name } = owner.metadata;
  const fresh = await client.get(resource, owner.metadata as ObjectName);
  if (fresh.metadata.uid !== uid) throw new Error(`${resource.kind} ${name} is another object by now`);
  if (fresh.metadata.deletionTimestamp !== undefined) throw new Error(`${resource.kind} ${name} is being deleted`);
}

class ObjectClaims<O extends ApiObject, T extends ApiObject> {
  private readonly options: AdoptionOptions<O, T>;
  private checked: Promise<void> | undefined;

  constructor(options: AdoptionOptions<O, T>) {
    this.options = options;
  }

  /** Whether the object is the owner's, when this is done. */
  async claim(object: T): Promise<boolean> {
    const { owner } = this.options;
    const controller = controllerOf(object);
    if (controller !== undefined) {
      if (controller.uid !== owner.metadata.uid) return false;
      if (this.selects(object)) return true;
      if (owner.metadata.deletionTimestamp === undefined) await this.release(object);
      return false;
    }
    const isEnding = owner.metadata.deletionTimestamp !== undefined || object.metadata.deletionTimestamp !== undefined;
    if (isEnding || !this.selects(object) || object.metadata.namespace !== owner.metadata.namespace) return false;
    return this.adopt(object);
  }

  private selects(object: T): boolean {
    const { selector, matches } = this.options;
    return selector.matches(object.metadata.labels) && (matches === undefined || matches(object));
  }

  private async adopt(object: T): Promise<boolean> {
    const { ownerResource, owner, finalizers = [], canAdopt } = this.options;
    this.checked ??= canAdopt();
    await this.checked;
    const metadata = {
      uid: object.metadata.uid,
      ownerReferences: [controllerReference(ownerResource, owner)],
      ...(finalizers.length === 0 ? {} : { finalizers }),
    };
    try {
      await this.patch(object, { metadata });
      return true;
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
  }

  private async release(object: T): Promise<void> {
    const { owner, finalizers = [] } = this.options;
    const metadata = {
      uid: object.metadata.uid,
      ownerReferences: [{ $patch: 'delete', uid: owner.metadata.uid }],
      ...(finalizers.length === 0 ? {} : { '$deleteFromPrimitiveList/finalizers': finalizers }),
    };
    try {
      await this.patch(object, { metadata });
    } catch (error) {
      // Gone, or, where the uid is that of another object, taken: the next event of the object says so.
      if (!isNotFound(error) && !isInvalid(error)) throw error;
    }
  }

  /** With the uid, so that it changes no other object that has taken the name. */
  private patch(object: T, patch: object): Promise<T> {
    const { client, resource } = this.options;
    return client.patch(resource, object.metadata as ObjectName, 'strategic', patch);
  }
}
