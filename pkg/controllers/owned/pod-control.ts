import { pods } from '../../api/core/tokens.ts';
import { isNamespaceTerminating, isNotFound } from '../../apimachinery/errors/status-error.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import { SUBDOMAIN_BYTES_MAX } from '../../apimachinery/names/names.ts';
import type { EventRecorder } from '../../client/events/event-recorder.ts';
import type { Client } from '../../client/rest/client.ts';
import type { Pod, PodTemplateSpec } from '../../generated/types/core-v1.ts';
import type { OwnerReference } from '../../generated/types/meta-v1.ts';
import { UnknownCreates } from './unknown-creates.ts';
import type { WrittenObjects } from './written-objects.ts';

/** What the generated names of an owner's pods begin with; a dash more would make a long one invalid. */
export function podPrefix(owner: string): string {
  return owner.length < SUBDOMAIN_BYTES_MAX ? `${owner}-` : owner;
}

/** An owner with its kind, for events and references. */
export interface PodOwner {
  readonly object: ApiObject;
  /** How its pods refer to it. */
  readonly reference: OwnerReference;
}

/** A pod that is to be created. */
export interface NewPod {
  readonly template: PodTemplateSpec;
  /** Exactly one of both: the name, or what a generated one begins with. */
  readonly name?: string;
  readonly generateName?: string;
  /** Last changes to what the template says. */
  readonly adapt?: (pod: Pod) => void;
}

/** Creates and deletes pods for owners, says so in events of the owner, and keeps what it wrote in `written`. */
export class PodControl {
  private readonly client: Client;
  private readonly recorder: EventRecorder;
  private readonly written: WrittenObjects<Pod>;
  private readonly unknownCreates: UnknownCreates;

  constructor(client: Client, recorder: EventRecorder, written: WrittenObjects<Pod>) {
    this.client = client;
    this.recorder = recorder;
    this.written = written;
    this.unknownCreates = new UnknownCreates(client);
  }

  /** Before an owner's pods are counted: reads those of which it is not known whether they were created. */
  findUnknown(uid: string): Promise<void> {
    return this.unknownCreates.find(uid, (pod) => this.written.put(uid, pod));
  }

  /** The owner is gone. */
  forget(uid: string): void {
    this.written.forget(uid);
    this.unknownCreates.forget(uid);
  }

  /** Rejects with what the server answers; a namespace that is being deleted is no event. */
  async create({ object, reference }: PodOwner, { template, name, generateName, adapt }: NewPod): Promise<void> {
    const { labels, annotations, finalizers } = template.metadata ?? {};
    const pod: Pod = {
      metadata: {
        ...(name === undefined ? { generateName } : { name }),
        namespace: object.metadata.namespace,
        labels: { ...labels },
        annotations: { ...annotations },
        ...(finalizers === undefined ? {} : { finalizers: [...finalizers] }),
        ownerReferences: [reference],
      },
      spec: structuredClone(template.spec ?? { containers: [] }),
      status: {},
    };
    adapt?.(pod);
    const uid = object.metadata.uid!;
    try {
      const created = await this.client.create(pods, pod);
      this.event(object, 'Normal', 'SuccessfulCreate', `Created pod: ${created.metadata.name}`);
      this.written.put(uid, created);
    } catch (error) {
      this.unknownCreates.failed(uid, pod, error);
      if (!isNamespaceTerminating(error))
        this.event(object, 'Warning', 'FailedCreate', `Error creating: ${(error as Error).message}`);
      throw error;
    }
  }

  /** A pod that is gone already is no failure. Else rejects with an error of the words that go into conditions. */
  async delete({ object }: PodOwner, pod: Pod): Promise<void> {
    const { namespace, name, uid } = pod.metadata;
    try {
      await this.client.delete(pods, { namespace, name: name! }, { preconditions: { uid } });
      this.event(object, 'Normal', 'SuccessfulDelete', `Deleted pod: ${name}`);
    } catch (error) {
      if (!isNotFound(error)) {
        const { message } = error as Error;
        this.event(object, 'Warning', 'FailedDelete', `Error deleting: ${message}`);
        throw new Error(`unable to delete pods: ${message}`, { cause: error });
      }
    }
    this.written.putDeleted(object.metadata.uid!, pod);
  }

  private event(object: ApiObject, type: 'Normal' | 'Warning', reason: string, note: string): void {
    this.recorder.event(object, { type, reason, note });
  }
}
