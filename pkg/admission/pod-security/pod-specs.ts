import { getKey } from '../../apimachinery/json/own-keys.ts';
import type { ApiObject, ObjectMeta } from '../../apimachinery/meta/object.ts';
import type { PodSpec } from '../../generated/types/core-v1.ts';

/** A pod to come, as the object that makes it describes it. */
export interface PodTemplate {
  readonly metadata: ObjectMeta;
  readonly spec: PodSpec;
}

/** Where each resource keeps the template of its pods. */
const TEMPLATES: ReadonlyMap<string, readonly string[]> = new Map([
  ['podtemplates', ['template']],
  ['replicationcontrollers', ['spec', 'template']],
  ['replicasets.apps', ['spec', 'template']],
  ['deployments.apps', ['spec', 'template']],
  ['statefulsets.apps', ['spec', 'template']],
  ['daemonsets.apps', ['spec', 'template']],
  ['jobs.batch', ['spec', 'template']],
  ['cronjobs.batch', ['spec', 'jobTemplate', 'spec', 'template']],
]);

export function hasTemplate(resource: string): boolean {
  return TEMPLATES.has(resource);
}

/** The template of an object; undefined where there is none. */
export function templateOf(resource: string, object: ApiObject): PodTemplate | undefined {
  const path = TEMPLATES.get(resource) ?? [];
  const template = path.reduce<object | undefined>((value, name) => getKey<object>(value, name), object) as
    Partial<PodTemplate> | undefined;
  return template?.spec === undefined ? undefined : { metadata: template.metadata ?? {}, spec: template.spec };
}
