import { secrets } from '../../api/core/tokens.ts';
import type { Secret } from '../../generated/types/core-v1.ts';
import { getKey, setKey } from '../../apimachinery/json/own-keys.ts';
import { changeOwn } from '../../registry/own-writes.ts';
import type { StoreAccess } from '../../registry/store-access.ts';

/**
 * A use of a token from a secret. `generated`: the control plane of an old release made it; `invalidated`: it is no
 * longer valid.
 */
export interface LegacyTokenUse {
  readonly kind: 'generated' | 'manual' | 'invalidated';
  readonly secret: Secret;
}

const lastUsedLabel = 'kubernetes.io/legacy-token-last-used';
const dayMs = 24 * 3600 * 1000;

export interface LegacyTokenLabelsOptions {
  readonly stores: StoreAccess;
  readonly nowMs: () => number;
  readonly onError: (error: unknown, where: string) => void;
}

/**
 * Writes on secrets the day on which their token was last used, at most once a day each. Requests do not wait for it.
 */
export class LegacyTokenLabels {
  readonly #options: LegacyTokenLabelsOptions;
  /** Secrets whose label is being written, so that many requests at once write it once. */
  readonly #inFlight = new Set<string>();

  constructor(options: LegacyTokenLabelsOptions) {
    this.#options = options;
  }

  used({ metadata }: Secret): void {
    const { nowMs, onError } = this.#options;
    const { namespace = '', name = '', uid = '' } = metadata;
    const today = dayOf(nowMs());
    const last = getKey<string>(metadata.labels, lastUsedLabel);
    // Another server's clock may be a day ahead.
    if (last === today || last === dayOf(nowMs() + dayMs) || this.#inFlight.has(uid)) return;
    this.#inFlight.add(uid);
    void this.#write(namespace, name, uid, today)
      .catch((error: unknown) => onError(error, 'tracking of legacy tokens'))
      .finally(() => this.#inFlight.delete(uid));
  }

  async #write(namespace: string, name: string, uid: string, today: string): Promise<void> {
    await changeOwn(this.#options.stores(secrets), namespace, name, (secret) => {
      if (secret.metadata.uid !== uid) return;
      secret.metadata.labels ??= {};
      setKey(secret.metadata.labels, lastUsedLabel, today);
    });
  }
}

/** `2006-01-02`, in UTC. */
function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
