import { daemonSets, deployments, replicaSets, statefulSets } from '../../api/apps/tokens.ts';
import { cronJobs, jobs } from '../../api/batch/tokens.ts';
import { podTemplates, replicationControllers } from '../../api/core/tokens.ts';
import { resourceKey, type NamedResource, type Resource } from '../../api/resource.ts';
import type { ApiObject, ObjectMeta } from '../../apimachinery/meta/object.ts';
import type { PodSpec } from '../../generated/types/core-v1.ts';

/** A pod to come, as the template describes it. */
export interface PodTemplate {
  readonly metadata: ObjectMeta;
  readonly spec: PodSpec;
}

type GivenTemplate = Partial<PodTemplate> | undefined;

/** Where the objects of a resource keep the template of their pods. */
interface TemplatePlace<T extends ApiObject = ApiObject> {
  find(object: T): GivenTemplate;
}

const TEMPLATES: ReadonlyMap<string, TemplatePlace> = new Map([
  place(podTemplates, ({ template }) => template),
  place(replicationControllers, ({ spec }) => spec.template),
  place(replicaSets, ({ spec }) => spec.template),
  place(deployments, ({ spec }) => spec.template),
  place(statefulSets, ({ spec }) => spec.template),
  place(daemonSets, ({ spec }) => spec.template),
  place(jobs, ({ spec }) => spec.template),
  place(cronJobs, ({ spec }) => spec.jobTemplate.spec.template),
]);

function place<T extends ApiObject>(
  resource: Resource<T>,
  find: (object: T) => GivenTemplate,
): [string, TemplatePlace] {
  const typed: TemplatePlace<T> = { find };
  return [resourceKey(resource), typed];
}

export function hasTemplate(resource: NamedResource): boolean {
  return TEMPLATES.has(resourceKey(resource));
}

/** The template of an object; undefined where there is none. */
export function templateOf(resource: NamedResource, object: ApiObject): PodTemplate | undefined {
  const template = TEMPLATES.get(resourceKey(resource))?.find(object);
  return template?.spec === undefined ? undefined : { metadata: template.metadata ?? {}, spec: template.spec };
}
