import type { Etcd3 } from 'etcd3';
import type { Etcd3ClientOptions } from './etcd3-client.ts';

/**
 * The etcd3 client, loaded and made when first needed: its packages take as long to load as a small server takes to
 * start, and 25 MB.
 */
export class LazyEtcd3Client {
  readonly #options: Etcd3ClientOptions;
  #client: Promise<Etcd3> | undefined;

  constructor(options: Etcd3ClientOptions) {
    this.#options = options;
  }

  get(): Promise<Etcd3> {
    this.#client ??= import('./etcd3-client.ts').then(({ createEtcd3Client }) => createEtcd3Client(this.#options));
    return this.#client;
  }

  /** Closes the client if there is one; it is not used after this. */
  close(): void {
    void this.#client?.then((client) => client.close());
  }
}
