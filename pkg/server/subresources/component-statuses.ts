import { connect } from 'node:net';
import { namespaces } from '../../api/core/tokens.ts';
import { genericServerResponse, notFound } from '../../apimachinery/errors/status-error.ts';
import type { ComponentStatus } from '../../generated/types/core-v1.ts';
import type { StoreAccess } from '../../registry/store-access.ts';
import { answerObject, negotiateForm } from '../verbs/answer-object.ts';
import { answerList } from '../verbs/list.ts';
import { transientObject } from '../verbs/transient-object.ts';
import type { KindHandler } from './subresource-handlers.ts';

/** The health of a component: resolves with its message when it is healthy, rejects with the error otherwise. */
type Probe = () => Promise<string>;

const PROBE_TIMEOUT_MS = 2000;
/** Ports on which the parts of a control plane serve their health on the same machine. */
const LOCAL_PARTS = { 'controller-manager': 10_257, scheduler: 10_259 } as const;

/**
 * GET of `componentstatuses`, one or all: checks the components of the control plane now. `inProcess`: those that run
 * in the process of this server and have no ports of their own.
 */
export function handleComponentStatuses(stores: StoreAccess, inProcess: ReadonlySet<string>): KindHandler {
  const probes = new Map<string, Probe>([
    ...Object.entries(LOCAL_PARTS).map(([name, port]): [string, Probe] => [
      name,
      () => (inProcess.has(name) ? Promise.resolve('ok') : probePort(port)),
    ]),
    ['etcd-0', () => probeStore(stores)],
  ]);
  return async (context, endpoint, parts) => {
    const negotiated = negotiateForm(context, endpoint);
    const { name, verb } = context.info;
    if (verb === 'list') {
      const objects = await Promise.all(
        [...probes].map(async ([part, probe]) => transientObject(await statusOf(part, probe))),
      );
      return answerList(context, { revision: 0, objects }, {}, negotiated, parts);
    }
    if (verb !== 'get') throw genericServerResponse(405);
    const probe = probes.get(name);
    if (probe === undefined) throw notFound({ group: '', resource: 'componentstatuses' }, name);
    answerObject(context, 200, transientObject(await statusOf(name, probe)), negotiated);
  };
}

async function statusOf(name: string, probe: Probe): Promise<ComponentStatus> {
  const head = { kind: 'ComponentStatus', apiVersion: 'v1', metadata: { name } };
  try {
    return { ...head, conditions: [{ type: 'Healthy', status: 'True', message: await probe() }] };
  } catch (error) {
    return { ...head, conditions: [{ type: 'Healthy', status: 'False', message: (error as Error).message }] };
  }
}

async function probeStore(stores: StoreAccess): Promise<string> {
  try {
    await stores(namespaces).backend.ping(PROBE_TIMEOUT_MS);
  } catch {
    throw new Error('the store does not answer');
  }
  return 'ok';
}

function probePort(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, timeout: PROBE_TIMEOUT_MS });
    const fail = (reason: string): void => {
      socket.destroy();
      reject(new Error(`Get "https://127.0.0.1:${port}/healthz": dial tcp 127.0.0.1:${port}: ${reason}`));
    };
    socket.once('connect', () => {
      socket.destroy();
      resolve('ok');
    });
    socket.once('timeout', () => fail('i/o timeout'));
    socket.once('error', () => fail('connect: connection refused'));
  });
}
