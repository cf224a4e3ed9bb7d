import type { Resource } from '../../api/resource.ts';
import { isRefusal, unlessNotFound } from '../../apimachinery/errors/status-error.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import type { Client, ObjectName, WriteOptions } from '../../client/rest/client.ts';
import type { WrittenObjects } from './written-objects.ts';

/**
 * Updates objects of owners, and keeps what the server answered in `written`. Where an answer is lost, as that of a
 * server which ends, the object is read before its owner's next reconcile: by its last known state, that might do once
 * more what has been done.
 */
export class UpdateControl<T extends ApiObject> {
  private readonly client: Pick<Client, 'get' | 'update'>;
  private readonly resource: Resource<T>;
  private readonly written: WrittenObjects<T>;
  /** By owner and uid: of these it is not known whether they were updated. */
  private readonly unknown = new Map<string, Map<string, T>>();

  constructor(client: Pick<Client, 'get' | 'update'>, resource: Resource<T>, written: WrittenObjects<T>) {
    this.client = client;
    this.resource = resource;
    this.written = written;
  }

  /** Rejects with what the server answers. */
  async update(owner: string, object: T, options?: WriteOptions): Promise<T> {
    try {
      const updated = await this.client.update(this.resource, object, options);
      this.written.put(owner, updated);
      return updated;
    } catch (error) {
      if (!isRefusal(error)) this.doubt(owner, object);
      throw error;
    }
  }

  /** Before an owner's objects are looked at: reads those in doubt. Rejects while the server does not say. */
  async findUnknown(owner: string): Promise<void> {
    const objects = this.unknown.get(owner);
    if (objects === undefined) return;
    await Promise.all([...objects.values()].map((object) => this.read(owner, object)));
    if (objects.size === 0) this.unknown.delete(owner);
  }

  /** The owner is gone. */
  forget(owner: string): void {
    this.unknown.delete(owner);
    this.written.forget(owner);
  }

  private doubt(owner: string, object: T): void {
    const objects = this.unknown.get(owner) ?? new Map<string, T>();
    this.unknown.set(owner, objects.set(object.metadata.uid!, object));
  }

  private async read(owner: string, object: T): Promise<void> {
    const { uid } = object.metadata;
    const found = await unlessNotFound(this.client.get(this.resource, object.metadata as ObjectName));
    if (found !== undefined && found.metadata.uid === uid) this.written.put(owner, found);
    this.unknown.get(owner)?.delete(uid!);
  }
}
