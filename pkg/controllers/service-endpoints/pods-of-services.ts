import { LabelSelector, labelRequirement } from '../../apimachinery/selectors/label-selector.ts';
import { deepEqual } from '../../apimachinery/json/deep.ts';
import type { Pod, Service } from '../../generated/types/core-v1.ts';
import type { FollowedObjects } from '../controller-context.ts';
import { podCondition } from '../owned/pod-state.ts';
import type { QueueController } from '../queue-controller.ts';

/**
 * Which pods a service selects, and which services select a pod. A selector is compiled once per state of a service.
 */
export class PodsOfServices {
  private readonly services: FollowedObjects<Service>;
  private readonly pods: FollowedObjects<Pod>;
  private readonly selectors = new WeakMap<Service, LabelSelector>();

  constructor(services: FollowedObjects<Service>, pods: FollowedObjects<Pod>) {
    this.services = services;
    this.pods = pods;
  }

  podsOf(service: Service): Pod[] {
    const selector = this.selectorOf(service);
    const all = this.pods.lister.list({ namespace: service.metadata.namespace ?? '' });
    return all.filter(({ metadata }) => selector.matches(metadata.labels));
  }

  /** Queues the services of pods whenever an endpoint of them may have changed. */
  queueServices(controller: QueueController, delayMs: number): void {
    const { queue } = controller;
    const add = (key: string): void => (delayMs > 0 ? queue.addAfter(key, delayMs) : queue.add(key));
    const enqueue = (pod: Pod): void => this.servicesOf(pod).forEach(add);
    controller.handle(this.pods, {
      onAdd: enqueue,
      onUpdate: (old, current) => {
        const relabeled = !deepEqual(old.metadata.labels, current.metadata.labels);
        if (relabeled) enqueue(old);
        if (relabeled || endpointMayChange(old, current)) enqueue(current);
      },
      onDelete: enqueue,
    });
  }

  private servicesOf({ metadata }: Pod): string[] {
    const { namespace = '', labels } = metadata;
    return this.services.lister
      .list({ namespace })
      .filter((service) => service.spec.selector !== undefined && this.selectorOf(service).matches(labels))
      .map((service) => `${namespace}/${service.metadata.name}`);
  }

  private selectorOf(service: Service): LabelSelector {
    let selector = this.selectors.get(service);
    if (selector === undefined) {
      const pairs = Object.entries(service.spec.selector ?? {});
      selector = new LabelSelector(pairs.map(([key, value]) => labelRequirement(key, '=', [value])));
      this.selectors.set(service, selector);
    }
    return selector;
  }
}

function endpointMayChange(old: Pod, current: Pod): boolean {
  const [before, after] = [podCondition(old, 'Ready'), podCondition(current, 'Ready')];
  return (
    old.metadata.uid !== current.metadata.uid ||
    old.metadata.deletionTimestamp !== current.metadata.deletionTimestamp ||
    before?.status !== after?.status ||
    before?.lastTransitionTime !== after?.lastTransitionTime ||
    old.status.phase !== current.status.phase ||
    old.status.podIP !== current.status.podIP ||
    !deepEqual(old.status.podIPs, current.status.podIPs) ||
    old.spec.nodeName !== current.spec.nodeName ||
    old.spec.hostname !== current.spec.hostname ||
    old.spec.subdomain !== current.spec.subdomain
  );
}
