import { stringifyJson } from '../../apimachinery/json/json.ts';
import type { AdmissionRequest } from '../admission.ts';
import type { Webhook } from '../webhook/webhook.ts';

/**
 * Which webhooks see an object for a second time: those that ask for it and were called before something changed it, be
 * it another webhook or a plugin of the second round. Nobody is called for the first time then.
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

  /**
   * Says that a webhook has been asked, and whether it changed the object: its own change brings no webhook back to
   * itself.
   */
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
