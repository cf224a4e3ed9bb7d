import { leases } from '../api/coordination/tokens.ts';
import { nodes, pods } from '../api/core/tokens.ts';
import { isAlreadyExists, isNotFound } from '../apimachinery/errors/status-error.ts';
import { formatMicroTime, formatTime } from '../apimachinery/values/time.ts';
import type { ControllerContext } from '../controllers/controller-context.ts';
import type { Controller } from '../controllers/controller.ts';
import { QueueController } from '../controllers/queue-controller.ts';
import type { Node, Pod } from '../generated/types/core-v1.ts';
import { nodeStatus } from './node-status.ts';
import { PodAddresses } from './pod-addresses.ts';
import { runningStatus, succeededStatus } from './pod-status.ts';

/** Nodes with this annotation have an agent here whose pods do everything at once, as kwok's fast stages do. */
const FAKE = 'kwok.x-k8s.io/node';
const LEASES = 'kube-node-lease';
const LEASE_SECONDS = 40;
const RENEW_MS = 10_000;
/** A node that is well says so again after this time. */
const STATUS_MS = 300_000;

export interface FastAgentsSettings {
  /** What nodes report as the version of their agent. */
  readonly kubeletVersion: string;
  /** The address of every node. */
  readonly address: string;
}

/** The agents of all nodes that ask for a fake one: they keep nodes ready, and run pods that do nothing. */
export function fastAgents(context: ControllerContext, settings: FastAgentsSettings): Controller {
  const { client, clock, informers } = context;
  const nodeInformer = informers.informer(nodes);
  const podInformer = informers.informer(pods);
  const addresses = new PodAddresses(undefined);
  const reported = new Map<string, number>();
  const now = (): string => formatTime(new Date(clock.wallMs()));

  const keepNode = async (name: string): Promise<number | undefined> => {
    const node = nodeInformer.lister.get({ name });
    if (node === undefined || !isFake(node)) {
      reported.delete(name);
      return undefined;
    }
    const ready = node.status.conditions?.find(({ type }) => type === 'Ready')?.status === 'True';
    if (!ready || clock.steadyMs() - (reported.get(name) ?? -Infinity) >= STATUS_MS) {
      const status = nodeStatus({ node, now: now(), ...settings });
      await client.patch(nodes, { name }, 'merge', { status }, { subresource: 'status' });
      reported.set(name, clock.steadyMs());
    }
    await renewLease(name, node);
    return RENEW_MS;
  };

  const renewLease = async (name: string, { metadata }: Node): Promise<void> => {
    const renewTime = formatMicroTime(new Date(clock.wallMs()));
    try {
      await client.patch(leases, { namespace: LEASES, name }, 'merge', { spec: { renewTime } });
    } catch (error) {
      if (!isNotFound(error)) throw error;
      const owner = { apiVersion: 'v1', kind: 'Node', name, uid: metadata.uid! };
      const spec = { holderIdentity: name, leaseDurationSeconds: LEASE_SECONDS, renewTime };
      await client
        .create(leases, { metadata: { namespace: LEASES, name, ownerReferences: [owner] }, spec })
        .catch((failure: unknown) => {
          if (!isAlreadyExists(failure)) throw failure;
        });
    }
  };

  const keepPod = async (namespace: string, name: string): Promise<void> => {
    const pod = podInformer.lister.get({ namespace, name });
    const node = pod === undefined ? undefined : nodeInformer.lister.get({ name: pod.spec.nodeName ?? '' });
    if (pod === undefined || node === undefined || !isFake(node)) return;
    const uid = pod.metadata.uid!;
    try {
      if (pod.metadata.deletionTimestamp !== undefined) {
        await client.delete(pods, { namespace, name }, { gracePeriodSeconds: 0, preconditions: { uid } });
        return;
      }
      const report = { pod, now: now(), hostIp: settings.address, podIp: addresses.of(uid) };
      const status = isPending(pod)
        ? runningStatus(report)
        : pod.status.phase === 'Running' && isOfJob(pod)
          ? succeededStatus(report)
          : undefined;
      if (status !== undefined)
        await client.patch(
          pods,
          { namespace, name },
          'merge',
          { metadata: { uid }, status },
          { subresource: 'status' },
        );
    } catch (error) {
      // Deleted meanwhile, perhaps with another pod of its name in its place.
      if (!isNotFound(error)) throw error;
    }
  };

  const controller = new QueueController(context, {
    name: 'simulated-nodes',
    workers: 16,
    reconcile: (key) => {
      const [kind, first = '', second = ''] = key.split('/');
      return kind === 'node' ? keepNode(first) : keepPod(first, second).then(() => undefined);
    },
  });
  controller.follow(nodeInformer, ({ metadata }) => (isFakeName(metadata) ? [`node/${metadata.name}`] : []));
  controller.follow(podInformer, (pod) =>
    (pod.spec.nodeName ?? '') === '' ? [] : [`pod/${pod.metadata.namespace}/${pod.metadata.name}`],
  );
  podInformer.addHandler({ onDelete: ({ metadata }) => addresses.release(metadata.uid!) });
  return controller;
}

function isFake({ metadata }: Node): boolean {
  return isFakeName(metadata);
}

function isFakeName({ annotations }: Node['metadata']): boolean {
  return annotations?.[FAKE] === 'fake';
}

function isPending({ status }: Pod): boolean {
  return status.phase === 'Pending' || (status.phase ?? '') === '';
}

function isOfJob({ metadata }: Pod): boolean {
  return metadata.ownerReferences?.some(({ kind, controller }) => kind === 'Job' && controller === true) === true;
}
