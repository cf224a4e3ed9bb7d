import type { Resource } from '../../api/resource.ts';
import {
  alreadyExists,
  generateNameConflict,
  genericServerResponse,
  invalid,
  notFound,
  type StatusError,
  unsupportedMediaType,
} from '../../apimachinery/errors/status-error.ts';
import { FieldErrors } from '../../apimachinery/errors/field-errors.ts';
import { field } from '../../apimachinery/errors/field-path.ts';
import { deepCopy, deepEqual } from '../../apimachinery/json/deep.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import { generateName } from '../../apimachinery/names/rand-suffix.ts';
import { applyJsonPatch } from '../../apimachinery/patch/json-patch.ts';
import { applyMergePatch } from '../../apimachinery/patch/merge-patch.ts';
import { applyStrategicMergePatch } from '../../apimachinery/patch/strategic-merge-patch.ts';
import type { Scale } from '../../generated/types/autoscaling-v1.ts';
import type {
  CallOptions,
  Client,
  DeleteOptions,
  DocumentOptions,
  ListOptions,
  ObjectList,
  ObjectName,
  PatchType,
  Selection,
  SubresourceCall,
  TaggedDocument,
  Watch,
  WatchOptions,
  WriteOptions,
} from '../rest/client.ts';
import { shownAll, shownBy } from '../rest/partial-metadata.ts';
import { objectPath } from '../rest/request-path.ts';
import { kindRules } from './kind-rules-testing.ts';
import { type FakeCall, FakeCluster } from './fake-cluster-testing.ts';
import {
  fakeSubresources,
  type FakeSubresource,
  type ObjectVerbs,
  scaleOf,
  subresourceKey,
  updateScale,
} from './fake-subresources-testing.ts';
import {
  changedObject,
  checkPatchedUid,
  checkPreconditions,
  deletedObject,
  isDeletable,
  newObject,
  uidConflict,
  withGeneration,
} from './write-rules-testing.ts';

const NAME_TRIES = 8;

/**
 * For tests: the object API over a `FakeCluster`, with a server's own behavior: resource versions and conflicts,
 * selectors, system fields and generations, `status`, `scale`, `binding`, `eviction` and `token`, finalizers, grace
 * periods and propagation policies, watches. It has no defaults, no validation, no admission and no permissions.
 *
 * A create keeps the status that it brings, so that a test can begin in any state; a server empties most.
 */
export class FakeClient implements Client, ObjectVerbs {
  readonly cluster: FakeCluster;
  /** Runs before each call and may wait or throw: the server is slow, refuses, or is away. */
  before: (call: FakeCall, signal?: AbortSignal) => Promise<void> | void = () => undefined;
  /** Answers of subresources, `pods/eviction`, and of paths. */
  readonly subresources = new Map<string, FakeSubresource>(Object.entries(fakeSubresources));
  readonly paths = new Map<string, object>();
  /** Entity tags of what paths answer, by path. */
  readonly etags = new Map<string, string>();
  private readonly failures = new Map<string, unknown[]>();
  private random = 1;

  constructor(cluster = new FakeCluster()) {
    this.cluster = cluster;
  }

  /** The calls of all clients. */
  get calls(): readonly FakeCall[] {
    return this.cluster.calls;
  }

  get writes(): readonly FakeCall[] {
    return this.cluster.writes;
  }

  /** The next call of the verb fails, after those that are to fail already. */
  failNext(verb: string, error: unknown): void {
    const waiting = this.failures.get(verb);
    if (waiting === undefined) this.failures.set(verb, [error]);
    else waiting.push(error);
  }

  async get<T extends ApiObject>(resource: Resource<T>, name: ObjectName, options: CallOptions = {}): Promise<T> {
    await this.begin('get', resource, name, options);
    return shownBy(resource, this.present(resource, name));
  }

  async list<T extends ApiObject>(
    resource: Resource<T>,
    options: ListOptions & CallOptions = {},
  ): Promise<ObjectList<T>> {
    await this.begin('list', resource, { ...options, name: '' }, options);
    await new Promise(setImmediate);
    options.signal?.throwIfAborted();
    const { items, ...rest } = this.cluster.list(resource, options);
    return { ...rest, items: shownAll(resource, items) };
  }

  watch<T extends ApiObject>(resource: Resource<T>, options: WatchOptions & CallOptions = {}): Watch<T> {
    const call = this.record('watch', resource, { ...options, name: '' }, options);
    const failure = this.failures.get('watch')?.shift();
    const { before, cluster } = this;
    return {
      async *[Symbol.asyncIterator]() {
        await before(call, options.signal);
        if (failure !== undefined) throw failure;
        for await (const event of cluster.watch(resource, options, options.signal))
          yield event.type === 'BOOKMARK' ? event : { ...event, object: shownBy(resource, event.object) };
      },
    };
  }

  async create<T extends ApiObject>(
    resource: Resource<T>,
    object: T,
    options: WriteOptions & CallOptions = {},
  ): Promise<T> {
    const { cluster } = this;
    const { namespace = '', name = '' } = object.metadata;
    if (resource.namespaced && namespace === '')
      throw new TypeError(`a namespace is required for ${resource.resource}`);
    await this.begin('create', resource, { namespace, name }, options, object);
    const metadata = { ...object.metadata, name: this.nameFor(resource, object.metadata) };
    const next = newObject(resource, { ...object, metadata }, cluster.nextUid(), cluster.now);
    return options.dryRun === true ? next : cluster.commit(resource, next);
  }

  async update<T extends ApiObject>(
    resource: Resource<T>,
    object: T,
    options: WriteOptions & CallOptions = {},
  ): Promise<T> {
    await this.begin('update', resource, object.metadata as ObjectName, options, object);
    const name = object.metadata as ObjectName;
    const { uid = '' } = object.metadata;
    // Servers compare the uid first, also with that of nothing.
    if (uid !== '' && this.cluster.find(resource, name) === undefined) throw uidConflict(resource, name.name, uid, '');
    return this.change(resource, options.subresource ?? '', object, options.dryRun);
  }

  async patch<T extends ApiObject>(
    resource: Resource<T>,
    name: ObjectName,
    type: PatchType,
    patch: unknown,
    options: WriteOptions & CallOptions = {},
  ): Promise<T> {
    await this.begin('patch', resource, name, options, patch);
    const present = this.present(resource, name);
    const { subresource = '' } = options;
    if (subresource === 'scale') {
      const wanted = patched(resource, scaleOf(resource, present), type, patch) as Scale;
      return updateScale(this, resource, name, wanted) as ApiObject as T;
    }
    const wanted = patched(resource, present, type, patch) as T;
    checkPatchedUid(resource, wanted, present);
    return shownBy(resource, this.change(resource, subresource, wanted, options.dryRun));
  }

  async delete<T extends ApiObject>(
    resource: Resource<T>,
    name: ObjectName,
    options: DeleteOptions & CallOptions = {},
  ): Promise<void> {
    await this.begin('delete', resource, name, options);
    this.remove(resource, name, options);
  }

  async deleteCollection<T extends ApiObject>(
    resource: Resource<T>,
    selection: Selection,
    options: DeleteOptions & CallOptions = {},
  ): Promise<void> {
    await this.begin('deletecollection', resource, { ...selection, name: '' }, options);
    for (const { metadata } of this.cluster.list(resource, selection).items)
      this.remove(resource, metadata as ObjectName, options);
  }

  async subresource<R>(
    resource: Resource,
    name: ObjectName,
    subresource: string,
    call: SubresourceCall,
    options: CallOptions = {},
  ): Promise<R> {
    const body = call.method === 'GET' ? undefined : call.body;
    const verb = { GET: 'get', POST: 'create', PUT: 'update' }[call.method];
    await this.begin(verb, resource, name, { ...options, subresource } as CallOptions, body);
    return this.answer(resource, name, subresource, body) as R;
  }

  async getPath<R>(path: string, options: CallOptions = {}): Promise<R> {
    return (await this.getDocument<R>(path, options))!.body;
  }

  async getDocument<R>(path: string, options: DocumentOptions = {}): Promise<TaggedDocument<R> | undefined> {
    const resource = { group: '', version: '', resource: path, kind: '', namespaced: false };
    await this.begin('get', resource, { name: path }, options);
    const found = this.paths.get(path);
    if (found === undefined) throw genericServerResponse(404);
    const etag = this.etags.get(path);
    if (etag !== undefined && etag === options.ifNoneMatch) return undefined;
    return { body: found as R, ...(etag === undefined ? {} : { etag }) };
  }

  /** The object; throws 404. */
  present<T extends ApiObject>(resource: Resource<T>, name: ObjectName): T {
    const object = this.cluster.find(resource, name);
    if (object === undefined) throw notFound(resource, name.name);
    return object;
  }

  /** Brings a change into the object, which goes where nothing holds it any more. */
  change<T extends ApiObject>(resource: Resource<T>, subresource: string, object: T, dryRun = false): T {
    const old = this.present(resource, object.metadata as ObjectName);
    const changed = changedObject(
      resource,
      subresource,
      { apiVersion: old.apiVersion, kind: old.kind, ...object },
      old,
    );
    const next = subresource === 'status' ? changed : withGeneration(resource, changed, old);
    if (isDeletable(resource, next)) {
      return dryRun ? next : this.cluster.commit(resource, next, true);
    }
    if (deepEqual(next, old)) return old;
    return dryRun ? next : this.cluster.commit(resource, next);
  }

  /** Deletes the object, or marks it. */
  remove(resource: Resource, name: ObjectName, options: DeleteOptions): void {
    const { cluster } = this;
    const old = this.present(resource, name);
    checkPreconditions(resource, old, options);
    const next = deletedObject(resource, old, options, cluster.now);
    if (options.dryRun === true) return;
    if (next === undefined) cluster.commit(resource, old, true);
    else if (!deepEqual(next, old)) cluster.commit(resource, next);
  }

  private answer(resource: Resource, name: ObjectName, subresource: string, body: unknown): object {
    if (subresource === 'scale') {
      if (body !== undefined) return updateScale(this, resource, name, body as Scale);
      return scaleOf(resource, this.present(resource, name));
    }
    const answer = this.subresources.get(subresourceKey(resource, subresource));
    if (answer !== undefined) return answer(this, resource, name, body);
    if (body === undefined) return this.present(resource, name);
    return this.change(resource, subresource, body as ApiObject);
  }

  private nameFor(
    resource: Resource,
    { namespace = '', name = '', generateName: base = '' }: ApiObject['metadata'],
  ): string {
    if (name === '' && base === '') throw nameRequired(resource);
    const isFree = (tried: string): boolean => this.cluster.find(resource, { namespace, name: tried }) === undefined;
    if (name !== '') {
      if (!isFree(name)) throw alreadyExists(resource, name);
      return name;
    }
    for (let tries = 0; tries < NAME_TRIES; tries++) {
      const made = generateName(base, (bound) => this.nextNumber() % bound);
      if (isFree(made)) return made;
    }
    throw generateNameConflict(resource, base, 1);
  }

  /** The same numbers in every run (the generator of Park and Miller). */
  private nextNumber(): number {
    this.random = (this.random * 48_271) % 2_147_483_647;
    return this.random >> 8;
  }

  private record(verb: string, resource: Resource, name: ObjectName, options: object, body?: unknown): FakeCall {
    const { signal: _, subresource = '', ...asked } = options as WriteOptions & CallOptions;
    const call = {
      verb,
      resource: resource.resource,
      name: name.name,
      ...(name.namespace === undefined ? {} : { namespace: name.namespace }),
      ...(subresource === '' ? {} : { subresource }),
      ...(body === undefined ? {} : { body }),
      options: asked,
    };
    this.cluster.calls.push(call);
    return call;
  }

  private async begin(
    verb: string,
    resource: Resource,
    name: ObjectName,
    options: CallOptions,
    body?: unknown,
  ): Promise<void> {
    if (verb === 'get' || verb === 'update' || verb === 'patch' || verb === 'delete') objectPath(resource, name);
    const call = this.record(verb, resource, name, options, body);
    await this.before(call, options.signal);
    options.signal?.throwIfAborted();
    const failures = this.failures.get(verb);
    if (failures !== undefined && failures.length > 0) throw failures.shift();
  }
}

function nameRequired({ group, kind }: Resource): StatusError {
  const errors = new FieldErrors();
  errors.required(field('metadata', 'name'), 'name or generateName is required');
  return invalid({ group, kind }, '', errors);
}

function patched(resource: Resource, object: object, type: PatchType, patch: unknown): unknown {
  if (type === 'merge') return applyMergePatch(deepCopy(object), patch);
  if (type === 'json') return applyJsonPatch(deepCopy(object), patch);
  const { schema } = kindRules(resource);
  if (schema === undefined) throw unsupportedMediaType('strategic merge patches need a built-in kind');
  return applyStrategicMergePatch(object, patch, schema);
}
