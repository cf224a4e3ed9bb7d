import { pods } from '../../api/core/tokens.ts';
import { resourceClaims, resourceClaimTemplates } from '../../api/resource/tokens.ts';
import { unlessNotFound } from '../../apimachinery/errors/status-error.ts';
import type { Pod } from '../../generated/types/core-v1.ts';
import type { ResourceClaim } from '../../generated/types/resource-v1.ts';
import type { ControllerContext } from '../controller-context.ts';
import type { ControllerDescriptor } from '../controller-descriptor.ts';
import type { Controller } from '../controller.ts';
import { LatestWrites } from '../owned/latest-writes.ts';
import { WrittenObjects } from '../owned/written-objects.ts';
import { ObjectsByController } from '../owned/pod-indexes.ts';
import { timed } from '../controller-metrics.ts';
import { QueueController } from '../queue-controller.ts';
import { claimKeysOf, podOf } from './claim-names.ts';
import { claimMetrics, usesAdminAccess } from './metrics.ts';
import { reconcileClaim, type ClaimSteps } from './reconcile-claim.ts';
import { reconcilePod, type PodClaimSteps } from './reconcile-pod.ts';

const NAME = 'resourceclaim-controller';
const BY_CLAIM = 'resourceclaim';
const BY_TEMPLATE = 'resourceclaimtemplate';

export const resourceClaimController: ControllerDescriptor = {
  name: NAME,
  account: 'resource-claim-controller',
  resources: [resourceClaims, resourceClaimTemplates, pods],
  create: (context, { workers }) => controllerOfClaims(context, workers.resourceClaim),
};

/** Makes the resource claims of pods, and takes back what pods that are done had of claims. */
function controllerOfClaims(context: ControllerContext, workers: number): Controller {
  const { client, informers, clock } = context;
  const claims = informers.informer(resourceClaims);
  const templates = informers.informer(resourceClaimTemplates);
  const podInformer = informers.informer(pods);
  const claimsByPod = new ObjectsByController(claims);
  podInformer.addIndex(BY_CLAIM, claimKeysOf);
  podInformer.addIndex(BY_TEMPLATE, templateKeysOf);
  const latestPods = new LatestWrites(podInformer);
  const latestClaims = new LatestWrites(claims);
  const written = new WrittenObjects<ResourceClaim>(claims, clock);
  const recorder = context.recorder('resource_claim');
  const creates = claimMetrics(context.metrics, () => claims.lister.list());

  const write = async (claim: ResourceClaim, subresource?: string): Promise<ResourceClaim> =>
    latestClaims.add(await client.update(resourceClaims, claim, subresource === undefined ? {} : { subresource }));
  const podSteps: PodClaimSteps = {
    claim: (namespace, name) => latestClaims.get(namespace, name),
    claimsOf: ({ metadata }) => written.view(metadata.uid!, claimsByPod.ownedBy(metadata.uid!)),
    template: (namespace, name) => templates.lister.get({ namespace, name }),
    createClaim: async ({ metadata }, claim) => {
      const admin_access = String(usesAdminAccess(claim));
      const create = (): Promise<ResourceClaim> => client.create(resourceClaims, claim);
      const created = await timed(clock, create, (_, error) =>
        creates.increment({ status: error === undefined ? 'success' : 'failure', admin_access }),
      );
      written.put(metadata.uid!, created);
      return created;
    },
    writeClaimStatus: (claim) => write(claim, 'status'),
    writePodStatuses: async ({ metadata: { namespace, name, uid } }, resourceClaimStatuses) => {
      const patch = { metadata: { uid }, status: { resourceClaimStatuses } };
      const options = { subresource: 'status' };
      latestPods.add(await client.patch(pods, { namespace, name: name! }, 'strategic', patch, options));
    },
    failed: (pod, note) => recorder.event(pod, { type: 'Warning', reason: 'FailedResourceClaimCreation', note }),
  };
  const claimSteps: ClaimSteps = {
    pod: (namespace, name) => latestPods.get(namespace, name),
    livePod: (namespace, name) => unlessNotFound(client.get(pods, { namespace, name })),
    write: (claim) => write(claim),
    writeStatus: (claim) => write(claim, 'status'),
    delete: ({ metadata: { namespace, name, uid } }) =>
      client.delete(resourceClaims, { namespace, name: name! }, { preconditions: { uid } }),
  };

  const controller = new QueueController(context, {
    name: NAME,
    workers,
    reconcile: async (key) => {
      const [kind, namespace = '', name = ''] = key.split('/');
      if (kind === 'pod') {
        const pod = podInformer.lister.get({ namespace, name });
        if (pod !== undefined) await reconcilePod(latestPods.latest(pod), podSteps);
      } else {
        const claim = claims.lister.get({ namespace, name });
        if (claim !== undefined) await reconcileClaim(latestClaims.latest(claim), claimSteps);
      }
      return undefined;
    },
  });
  const podChanged = (pod: Pod): void => {
    const { namespace, name, uid } = pod.metadata;
    if ((pod.spec.resourceClaims ?? []).length === 0) return;
    controller.queue.add(`pod/${namespace}/${name}`);
    const owned = claimsByPod.ownedBy(uid!).map(({ metadata }) => `${namespace}/${metadata.name}`);
    for (const key of new Set([...claimKeysOf(pod), ...owned])) controller.queue.add(`claim/${key}`);
  };
  controller.handle(podInformer, {
    onAdd: podChanged,
    onUpdate: (_old, pod) => podChanged(pod),
    onDelete: (pod) => {
      podChanged(pod);
      written.forget(pod.metadata.uid!);
    },
  });
  controller.follow(claims, (claim) => {
    const { namespace, name } = claim.metadata;
    const owner = podOf(claim);
    const users = podInformer.lister.listByIndex(BY_CLAIM, `${namespace}/${name}`);
    const waiting = users.map(({ metadata }) => `pod/${namespace}/${metadata.name}`);
    return [
      `claim/${namespace}/${name}`,
      ...waiting,
      ...(owner === undefined ? [] : [`pod/${namespace}/${owner.name}`]),
    ];
  });
  controller.follow(templates, ({ metadata: { namespace, name } }) =>
    podInformer.lister
      .listByIndex(BY_TEMPLATE, `${namespace}/${name}`)
      .map(({ metadata }) => `pod/${namespace}/${metadata.name}`),
  );
  return controller;
}

function templateKeysOf({ metadata, spec }: Pod): readonly string[] {
  return (spec.resourceClaims ?? []).flatMap(({ resourceClaimTemplateName }) =>
    (resourceClaimTemplateName ?? '') === '' ? [] : [`${metadata.namespace}/${resourceClaimTemplateName}`],
  );
}
