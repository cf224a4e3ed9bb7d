import type { CallOptions, Client } from '../rest/client.ts';
import { LeadershipLost } from './leader-elector.ts';

export interface Leadership {
  isLeader(): boolean;
}

/**
 * The client of a leader's work: each write asks right before it is sent whether leadership still holds, and fails
 * with `LeadershipLost` where it does not. A process that was paused in the middle of a reconcile writes nothing
 * when it goes on. Reads pass.
 */
export function leadingClient(client: Client, leadership: Leadership): Client {
  const whileLeading = async <T>(write: () => Promise<T>): Promise<T> => {
    if (!leadership.isLeader()) throw new LeadershipLost('no write: leadership has ended');
    return write();
  };
  return {
    get: (...call) => client.get(...call),
    list: (...call) => client.list(...call),
    watch: (...call) => client.watch(...call),
    create: (...call) => whileLeading(() => client.create(...call)),
    update: (...call) => whileLeading(() => client.update(...call)),
    patch: (...call) => whileLeading(() => client.patch(...call)),
    delete: (...call) => whileLeading(() => client.delete(...call)),
    deleteCollection: (...call) => whileLeading(() => client.deleteCollection(...call)),
    subresource: (resource, name, subresource, call, options) => {
      const send = <R>(): Promise<R> => client.subresource<R>(resource, name, subresource, call, options);
      return call.method === 'GET' ? send() : whileLeading(() => send());
    },
    getPath: <R>(path: string, options?: CallOptions) => client.getPath<R>(path, options),
  };
}
