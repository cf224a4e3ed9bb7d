import { eachContainer } from '../../api/core/pod-spec/each-container.ts';
import { FieldErrors, aggregateText } from '../../apimachinery/errors/field-errors.ts';
import { field } from '../../apimachinery/errors/field-path.ts';
import type { Pod } from '../../generated/types/core-v1.ts';
import type { AdmissionPlugin } from '../admission.ts';
import { refusal } from '../refusal.ts';
import { handles, writesContainers, type RequestOn } from '../handles.ts';

/**
 * Has nodes ask the registry for every image at every start, so that no pod runs a private image that happens to be on
 * a node.
 */
export function alwaysPullImagesPlugin(): AdmissionPlugin {
  return {
    name: 'AlwaysPullImages',
    admit: handles(writesContainers, (request) => {
      for (const [container] of concernedContainers(request)) container.imagePullPolicy = 'Always';
    }),
    validate: handles(writesContainers, (request) => {
      const errors = new FieldErrors();
      for (const [container, path] of concernedContainers(request)) {
        if (container.imagePullPolicy !== 'Always')
          errors.notSupported(path.child('imagePullPolicy'), container.imagePullPolicy ?? '', ['Always']);
      }
      if (errors.length > 0) throw refusal(request, aggregateText(errors));
    }),
  };
}

function concernedContainers({ object, oldObject }: RequestOn<Pod>): ReturnType<typeof eachContainer> | [] {
  return object === undefined || bringsNoImage(object, oldObject) ? [] : eachContainer(object.spec, field('spec'));
}

/** Pods from before the plugin was on must stay changeable. */
function bringsNoImage(pod: Pod, old: Pod | undefined): boolean {
  if (old === undefined) return false;
  const images = new Set([...eachContainer(old.spec, field('spec'))].map(([container]) => container.image));
  return [...eachContainer(pod.spec, field('spec'))].every(([container]) => images.has(container.image));
}
