import type { CallOptions, Client, DocumentOptions } from '../rest/client.ts';
import { LeadershipLost } from './leader-elector.ts';

export interface Leadership {
  isLeader(): boolean;
  /** Aborts when leadership ends: writes on their way end with it. */
  readonly signal?: AbortSignal;
}

/** Throws `LeadershipLost` where leadership has ended. */
export function checkLeads(leadership: Leadership): void {
  if (!leadership.isLeader()) throw new LeadershipLost('no write: leadership has ended');
}

/**
 * The client of a leader's work: each write asks first whether leadership still holds, and fails with `LeadershipLost`
 * where it does not. A process that was paused in the middle of a reconcile writes nothing when it goes on; for one
 * that was paused in the middle of a call the client itself has to ask once more before it sends (`beforeWrite` of
 * `RestClient`). Reads pass.
 */
export function leadingClient(client: Client, leadership: Leadership): Client {
  const { signal } = leadership;
  const whileLeading = async <T>(
    options: CallOptions | undefined,
    write: (options: CallOptions) => Promise<T>,
  ): Promise<T> => {
    checkLeads(leadership);
    if (signal === undefined) return write({ ...options });
    return write({ ...options, signal: options?.signal ? AbortSignal.any([options.signal, signal]) : signal });
  };
  return {
    get: (...call) => client.get(...call),
    list: (...call) => client.list(...call),
    watch: (...call) => client.watch(...call),
    create: (resource, object, options) => whileLeading(options, (ending) => client.create(resource, object, ending)),
    update: (resource, object, options) => whileLeading(options, (ending) => client.update(resource, object, ending)),
    patch: (resource, name, type, patch, options) =>
      whileLeading(options, (ending) => client.patch(resource, name, type, patch, ending)),
    delete: (resource, name, options) => whileLeading(options, (ending) => client.delete(resource, name, ending)),
    deleteCollection: (resource, selection, options) =>
      whileLeading(options, (ending) => client.deleteCollection(resource, selection, ending)),
    subresource: (resource, name, subresource, call, options) => {
      const send = <R>(ending?: CallOptions): Promise<R> =>
        client.subresource<R>(resource, name, subresource, call, ending);
      return call.method === 'GET' ? send(options) : whileLeading(options, (ending) => send(ending));
    },
    getPath: <R>(path: string, options?: CallOptions) => client.getPath<R>(path, options),
    getDocument: <R>(path: string, options?: DocumentOptions) => client.getDocument<R>(path, options),
  };
}
