import { persistentVolumeClaims, pods } from '../../api/core/tokens.ts';
import {
  isAlreadyExists,
  isConflict,
  isNamespaceTerminating,
  isNotFound,
} from '../../apimachinery/errors/status-error.ts';
import type { EventRecorder } from '../../client/events/event-recorder.ts';
import type { Client } from '../../client/rest/client.ts';
import type { StatefulSet } from '../../generated/types/apps-v1.ts';
import type { PersistentVolumeClaim, Pod } from '../../generated/types/core-v1.ts';

type Verb = 'Create' | 'Update' | 'Delete';

/** What events of a write say of its object, when it is done and when it has failed, and how they end. */
interface WriteText {
  readonly done: string;
  readonly failed: string;
  readonly end: string;
}

/** Writes pods and claims of one set, and says so in events of the set. */
export class StatefulPodControl {
  private readonly client: Client;
  private readonly recorder: EventRecorder;
  private readonly set: StatefulSet;

  constructor(client: Client, recorder: EventRecorder, set: StatefulSet) {
    this.client = client;
    this.recorder = recorder;
    this.set = set;
  }

  createPod(pod: Pod): Promise<Pod> {
    return this.recorded('Create', podText(pod), () => this.client.create(pods, pod));
  }

  async updatePod(pod: Pod): Promise<void> {
    await this.recorded('Update', podText(pod), () => this.client.update(pods, pod));
  }

  /** A pod that is gone already is no failure. */
  async deletePod(pod: Pod): Promise<void> {
    const { namespace, name = '', uid } = pod.metadata;
    try {
      await this.recorded('Delete', podText(pod), () =>
        this.client.delete(pods, { namespace, name }, { preconditions: { uid } }),
      );
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  /** Something that was to be done before the pod is written has failed. */
  podFailed(verb: Verb, pod: Pod, error: Error): void {
    this.failed(verb, podText(pod).failed, error);
  }

  /** A claim that is there already is no failure: its creation was not seen yet. */
  async createClaim(claim: PersistentVolumeClaim, pod: Pod): Promise<void> {
    const [name, podName] = [claim.metadata.name, pod.metadata.name];
    const text = { done: `Claim ${name} Pod ${podName}`, failed: `Claim ${name} for Pod ${podName}`, end: 'success' };
    try {
      await this.recorded('Create', text, () => this.client.create(persistentVolumeClaims, claim));
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
  }

  private async recorded<T>(verb: Verb, { done, failed, end }: WriteText, write: () => Promise<T>): Promise<T> {
    try {
      const written = await write();
      this.event('Normal', `Successful${verb}`, `${verb} ${done} in StatefulSet ${this.set.metadata.name} ${end}`);
      return written;
    } catch (error) {
      if (!isAlreadyExists(error) && !isNotFound(error)) this.failed(verb, failed, error as Error);
      throw error;
    }
  }

  /** Nothing is said of conflicts, after which it is tried again, and of a namespace that is being deleted. */
  private failed(verb: Verb, what: string, error: Error): void {
    if (isConflict(error) || isNamespaceTerminating(error) || isNamespaceTerminating(error.cause)) return;
    const note = `${verb} ${what} in StatefulSet ${this.set.metadata.name} failed error: ${error.message}`;
    this.event('Warning', `Failed${verb}`, note);
  }

  private event(type: 'Normal' | 'Warning', reason: string, note: string): void {
    this.recorder.event(this.set, { type, reason, note });
  }
}

function podText({ metadata }: Pod): WriteText {
  const text = `Pod ${metadata.name}`;
  return { done: text, failed: text, end: 'successful' };
}
