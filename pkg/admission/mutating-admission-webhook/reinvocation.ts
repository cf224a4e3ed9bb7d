import { stringifyJson } from '../../apimachinery/json/json.ts';
import type { AdmissionRequest } from '../admission.ts';
import type { Webhook } from '../webhook/webhook.ts';

/**
 * Which webhooks are called a second time for an object: those with a reinvocation policy that were called before a
 * change, by another webhook or a plugin of the second round. No webhook is called for the first time then.
 */
export class Reinvocation {
  private readonly called = new Set<string>();
  private readonly again = new Set<string>();
  private last = '';

  /** 0 at first. */
  round: 0 | 1 = 0;

  /** The second round begins. */
  startAgain(request: AdmissionRequest): void {
    this.round = 1;
    if (stringifyJson(request.object) !== this.last) this.objectChanged();
  }

  wants({ id }: Webhook): boolean {
    return this.round === 0 || this.again.has(id);
  }

  /** Records that a webhook was called, and whether it changed the object: its own change does not reinvoke it. */
  asked({ id, reinvoked }: Webhook, changed: boolean): void {
    if (changed) this.objectChanged();
    if (reinvoked) this.called.add(id);
  }

  /** A round has ended. */
  ended(request: AdmissionRequest): void {
    this.last = stringifyJson(request.object);
  }

  private objectChanged(): void {
    for (const id of this.called) this.again.add(id);
    this.called.clear();
  }
}
