import assert from 'node:assert/strict';
import { namespaces } from '../../api/core/tokens.ts';
import { StatusError } from '../../apimachinery/errors/status-error.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import type { Deployment } from '../../generated/types/apps-v1.ts';
import type { ConfigMap, Pod } from '../../generated/types/core-v1.ts';
import type { Client, Watch, WatchEvent } from './client.ts';

/** A user by name, with no rights but those that roles and groups give. */
export interface ContractUser {
  readonly name: string;
  readonly groups?: readonly string[];
}

/** A running API server that authorizes by roles, and how it is spoken to. */
export interface ContractServer {
  clientOf(user: ContractUser): Client;
  stop(): Promise<void>;
}

const ADMIN: ContractUser = { name: 'contract-admin', groups: ['system:masters'] };

/** The server of a contract's tests, with a namespace for each, and objects to put there. */
export class ContractFixture {
  client!: Client;
  namespace = '';
  private server!: ContractServer;
  private count = 0;

  start(server: ContractServer): void {
    this.server = server;
    this.client = server.clientOf(ADMIN);
  }

  stop(): Promise<void> {
    return this.server.stop();
  }

  clientOf(user: ContractUser): Client {
    return this.server.clientOf(user);
  }

  async nextNamespace(): Promise<void> {
    this.namespace = `contract-${++this.count}`;
    await this.client.create(namespaces, { metadata: { name: this.namespace }, spec: {}, status: {} });
  }

  readonly configMap = (
    name: string,
    data: Record<string, string> = {},
    labels: Record<string, string> = {},
  ): ConfigMap => ({ metadata: { name, namespace: this.namespace, labels }, data });

  readonly named = (name: string): { namespace: string; name: string } => ({ namespace: this.namespace, name });

  readonly pod = (name: string, labels: Record<string, string> = {}): Pod =>
    ({
      metadata: { name, namespace: this.namespace, labels },
      spec: { containers: [{ name: 'main', image: 'one' }] },
      status: {},
    }) as unknown as Pod;

  readonly deployment = (name: string, replicas: number): Deployment => {
    const template = { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'main', image: 'one' }] } };
    const spec = { replicas, selector: { matchLabels: { app: name } }, template };
    return { metadata: { name, namespace: this.namespace }, spec, status: {} } as unknown as Deployment;
  };
}

/** Asserts code and reason of a failed call. */
export async function failsWith(call: Promise<unknown>, code: number, reason: string): Promise<StatusError> {
  const error = await call.then(
    () => assert.fail('the call succeeded'),
    (problem: unknown) => problem,
  );
  assert(error instanceof StatusError, String(error));
  assert.deepEqual([error.code, error.reason], [code, reason], error.message);
  return error;
}

/** So many events, or all until the end. */
export async function collect<T extends ApiObject>(watch: Watch<T>, count = Infinity): Promise<WatchEvent<T>[]> {
  const events: WatchEvent<T>[] = [];
  for await (const event of watch) {
    events.push(event);
    if (events.length === count) break;
  }
  return events;
}

export function brief<T extends ApiObject>(event: WatchEvent<T>): string {
  return event.type === 'BOOKMARK' ? event.type : `${event.type} ${event.object.metadata.name}`;
}

export function lastVersion<T extends ApiObject>(events: readonly WatchEvent<T>[]): string {
  const last = events.at(-1)!;
  return last.type === 'BOOKMARK' ? last.resourceVersion : last.object.metadata.resourceVersion!;
}
