import { configMaps } from '../../api/core/tokens.ts';
import { isNotFound } from '../../apimachinery/errors/status-error.ts';
import { sleep, type Clock } from '../../apimachinery/clock.ts';
import type { Client } from '../../client/rest/client.ts';
import type { AuthenticationTrust } from '../../controllers/cluster-authentication-trust/trust.ts';

/** The config map in which API servers publish whom they believe. */
const TRUST = { namespace: 'kube-system', name: 'extension-apiserver-authentication' };
const LOOK_MS = 60_000;
const RETRY_MS = 1000;
const ATTEMPTS_MAX = 10;

export interface ClusterTrustOptions {
  readonly client: Pick<Client, 'get'>;
  readonly clock: Clock;
  readonly onError: (error: unknown, where: string) => void;
}

/** Whom the API servers of the cluster believe, read again every minute. */
export class ClusterTrust {
  private readonly options: ClusterTrustOptions;
  /** The same object until something changes. */
  current: AuthenticationTrust = {};
  private text = '';

  constructor(options: ClusterTrustOptions) {
    this.options = options;
  }

  /** Waits some seconds for a server that does not answer yet; rejects then. */
  async readFirst(): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.read();
      } catch (error) {
        if (attempt === ATTEMPTS_MAX) throw error;
        await sleep(this.options.clock, RETRY_MS);
      }
    }
  }

  async follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await sleep(this.options.clock, LOOK_MS, signal);
      if (signal.aborted) return;
      try {
        await this.read();
      } catch (error) {
        // What was read before stays.
        this.options.onError(error, 'authorities of clients');
      }
    }
  }

  private async read(): Promise<void> {
    const data = await this.data();
    const text = JSON.stringify(data);
    if (text === this.text) return;
    this.current = trustOf(data);
    this.text = text;
  }

  /** Nothing where the servers publish nothing. */
  private async data(): Promise<Readonly<Record<string, string>>> {
    try {
      return (await this.options.client.get(configMaps, TRUST)).data ?? {};
    } catch (error) {
      if (isNotFound(error)) return {};
      throw error;
    }
  }
}

function trustOf(data: Readonly<Record<string, string>>): AuthenticationTrust {
  const clientCa = data['client-ca-file'] ?? '';
  const proxyCa = data['requestheader-client-ca-file'] ?? '';
  return {
    ...(clientCa === '' ? {} : { clientCa }),
    ...(proxyCa === ''
      ? {}
      : {
          requestHeader: {
            ca: proxyCa,
            usernameHeaders: listIn(data, 'requestheader-username-headers'),
            groupHeaders: listIn(data, 'requestheader-group-headers'),
            extraHeaderPrefixes: listIn(data, 'requestheader-extra-headers-prefix'),
            allowedNames: listIn(data, 'requestheader-allowed-names'),
          },
        }),
  };
}

/** A list in JSON. Throws where it is none: an empty list of names would allow every proxy. */
function listIn(data: Readonly<Record<string, string>>, key: string): readonly string[] {
  const text = data[key] ?? '';
  if (text === '') return [];
  const list: unknown = JSON.parse(text);
  if (!Array.isArray(list) || !list.every((item) => typeof item === 'string'))
    throw new Error(`${TRUST.name}: ${key} is no list of texts`);
  return list;
}
