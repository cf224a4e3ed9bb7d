import { persistentVolumeClaims, pods } from '../../api/core/tokens.ts';
import { isAlreadyExists, isNamespaceTerminating, isNotFound } from '../../apimachinery/errors/status-error.ts';
import type { EventRecorder } from '../../client/events/event-recorder.ts';
import type { Client } from '../../client/rest/client.ts';
import type { StatefulSet } from '../../generated/types/apps-v1.ts';
import type { PersistentVolumeClaim, Pod } from '../../generated/types/core-v1.ts';

type Verb = 'Create' | 'Update' | 'Delete';

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
    return this.recorded('Create', `Pod ${pod.metadata.name}`, 'successful', () => this.client.create(pods, pod));
  }

  async updatePod(pod: Pod): Promise<void> {
    await this.recorded('Update', `Pod ${pod.metadata.name}`, 'successful', () => this.client.update(pods, pod));
  }

  /** A pod that is gone already is no failure. */
  async deletePod({ metadata }: Pod): Promise<void> {
    const { namespace, name = '', uid } = metadata;
    try {
      await this.recorded('Delete', `Pod ${name}`, 'successful', () =>
        this.client.delete(pods, { namespace, name }, { preconditions: { uid } }),
      );
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  /** A claim that is there already is no failure: its creation was not seen yet. */
  async createClaim(claim: PersistentVolumeClaim, pod: Pod): Promise<void> {
    const what = `Claim ${claim.metadata.name} Pod ${pod.metadata.name}`;
    try {
      await this.recorded('Create', what, 'success', () => this.client.create(persistentVolumeClaims, claim));
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
  }

  private async recorded<T>(verb: Verb, what: string, success: string, write: () => Promise<T>): Promise<T> {
    const subject = `${verb} ${what} in StatefulSet ${this.set.metadata.name}`;
    try {
      const written = await write();
      this.event('Normal', `Successful${verb}`, `${subject} ${success}`);
      return written;
    } catch (error) {
      if (!isAlreadyExists(error) && !isNotFound(error) && !isNamespaceTerminating(error))
        this.event('Warning', `Failed${verb}`, `${subject} failed error: ${(error as Error).message}`);
      throw error;
    }
  }

  private event(type: 'Normal' | 'Warning', reason: string, note: string): void {
    this.recorder.event(this.set, { type, reason, note });
  }
}
