import type { ApiObject } from '../../apimachinery/meta/object.ts';
import type { ObjectReference } from '../../generated/types/core-v1.ts';

/** What an event is about: an object that has its `apiVersion` and `kind`, or a reference to one. */
export type EventSubject = ApiObject | ObjectReference;

/** What happened. */
export interface NewEvent {
  readonly type: 'Normal' | 'Warning';
  /** Why, in one word for programs: `ScalingReplicaSet`. */
  readonly reason: string;
  /** What was done, in one word. Events of `events.k8s.io` need it; default: the reason. */
  readonly action?: string;
  /** For people. */
  readonly note: string;
  readonly related?: EventSubject;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Who records. */
export interface EventSource {
  /** `deployment-controller`. */
  readonly component: string;
  /** Host of the component, or its name among several. */
  readonly instance?: string;
}

/**
 * Writes down what a controller does, as Event objects. `event` never waits and never throws: events are sent one
 * after the other in the background, and lost where too many wait or the server is away for long.
 */
export interface EventRecorder {
  event(regarding: EventSubject, event: NewEvent): void;
  /** Resolves when everything recorded so far was sent or lost. */
  flush(): Promise<void>;
  /** Drops what was not sent; later events are dropped as well. */
  stop(): Promise<void>;
}

/** Namespace of events about objects without one. */
const CLUSTER_EVENTS_NAMESPACE = 'default';

export function referenceTo(subject: EventSubject): ObjectReference {
  if (!('metadata' in subject)) return subject;
  const { apiVersion, kind, metadata } = subject as ApiObject;
  const { namespace, name, uid, resourceVersion } = metadata;
  return { kind, namespace, name, uid, apiVersion, resourceVersion };
}

export function namespaceOfEvent({ namespace }: ObjectReference): string {
  return namespace || CLUSTER_EVENTS_NAMESPACE;
}
