import { getKey, setKey } from '../../apimachinery/json/own-keys.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import { isNotFound } from '../../apimachinery/errors/status-error.ts';
import { formatTime } from '../../apimachinery/values/time.ts';
import { configMaps, endpoints } from '../../api/core/tokens.ts';
import { groupVersionOf, type Resource } from '../../api/resource.ts';
import type { ObjectReference } from '../../generated/types/core-v1.ts';
import type { CallOptions, Client } from '../rest/client.ts';
import { LEADER_ANNOTATION, type LeaderRecord } from './leader-record.ts';
import type { LockName, ObservedRecord, ResourceLock } from './resource-lock.ts';

/**
 * An object that says in an annotation who leads, as components did before there were leases. The rest of the object
 * is left as it is.
 */
export class AnnotationLock implements ResourceLock {
  readonly regarding: ObjectReference;
  private readonly client: Client;
  private readonly resource: Resource;
  private readonly name: LockName;
  private seen: ApiObject | undefined;

  constructor(client: Client, resource: 'endpoints' | 'configmaps', name: LockName) {
    this.client = client;
    this.resource = resource === 'endpoints' ? endpoints : configMaps;
    this.name = name;
    this.regarding = { kind: this.resource.kind, apiVersion: groupVersionOf(this.resource), ...name };
  }

  async get(options: CallOptions): Promise<ObservedRecord | undefined> {
    try {
      return this.observe(await this.client.get(this.resource, this.name, options));
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  async create(record: LeaderRecord, options: CallOptions): Promise<ObservedRecord> {
    const object: ApiObject = {
      apiVersion: groupVersionOf(this.resource),
      kind: this.resource.kind,
      metadata: { ...this.name, annotations: { [LEADER_ANNOTATION]: textOf(record) } },
    };
    return this.observe(await this.client.create(this.resource, object, options));
  }

  async update(record: LeaderRecord, options: CallOptions): Promise<ObservedRecord> {
    if (this.seen === undefined) throw new Error('the lock was neither read nor created yet');
    const annotations = { ...this.seen.metadata.annotations };
    setKey(annotations, LEADER_ANNOTATION, textOf(record));
    const object: ApiObject = { ...this.seen, metadata: { ...this.seen.metadata, annotations } };
    return this.observe(await this.client.update(this.resource, object, options));
  }

  private observe(object: ApiObject): ObservedRecord {
    this.seen = object;
    const raw = getKey<string>(object.metadata.annotations, LEADER_ANNOTATION) ?? '';
    return { raw, record: recordOf(raw) };
  }
}

function textOf(record: LeaderRecord): string {
  return JSON.stringify({
    holderIdentity: record.holderIdentity,
    leaseDurationSeconds: record.leaseDurationSeconds,
    acquireTime: formatTime(new Date(record.acquireTimeMs)),
    renewTime: formatTime(new Date(record.renewTimeMs)),
    leaderTransitions: record.leaderTransitions,
  });
}

/** An object without the annotation is free; one with an invalid annotation is an error, and must not be taken. */
function recordOf(raw: string): LeaderRecord {
  const fields = (raw === '' ? {} : JSON.parse(raw)) as Record<string, unknown>;
  const { holderIdentity, leaseDurationSeconds, leaderTransitions, acquireTime, renewTime } = fields;
  return {
    holderIdentity: typeof holderIdentity === 'string' ? holderIdentity : '',
    leaseDurationSeconds: wholeNumber(leaseDurationSeconds),
    acquireTimeMs: milliseconds(acquireTime),
    renewTimeMs: milliseconds(renewTime),
    leaderTransitions: wholeNumber(leaderTransitions),
  };
}

function wholeNumber(value: unknown): number {
  return Number.isSafeInteger(value) ? (value as number) : 0;
}

/** An invalid time is 1970: only its writer uses it. */
function milliseconds(value: unknown): number {
  const ms = typeof value === 'string' ? Date.parse(value) : NaN;
  return Number.isNaN(ms) ? 0 : ms;
}
