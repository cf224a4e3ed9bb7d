import { setKey } from '../../apimachinery/json/own-keys.ts';
import type { Job } from '../../generated/types/batch-v1.ts';
import type { Container, Pod } from '../../generated/types/core-v1.ts';
import type { NewPod } from '../owned/pod-control.ts';
import { failureCountAnnotations } from './index-failures.ts';
import { COMPLETION_INDEX, TRACKING_FINALIZER } from './job-pods.ts';

const GENERATE_NAME_MAX = 58;
const INDEX_ENV = 'JOB_COMPLETION_INDEX';

/** A pod of a job; `index`: for indexed jobs, `replaced`: the failed pod of that index, where failures are counted. */
export function newPod(job: Job, index: number | undefined, replaced: Pod | undefined): NewPod {
  const { template, backoffLimitPerIndex } = job.spec;
  const { name = '' } = job.metadata;
  return {
    template,
    generateName: index === undefined ? `${name}-` : generateNameWithIndex(name, index),
    adapt: (pod) => {
      const { finalizers = [] } = pod.metadata;
      if (!finalizers.includes(TRACKING_FINALIZER)) pod.metadata.finalizers = [...finalizers, TRACKING_FINALIZER];
      if (index === undefined) return;
      const counts = backoffLimitPerIndex === undefined ? {} : failureCountAnnotations(job, replaced);
      pod.metadata.annotations = { ...pod.metadata.annotations, ...counts };
      setKey(pod.metadata.annotations, COMPLETION_INDEX, String(index));
      pod.metadata.labels = { ...pod.metadata.labels };
      setKey(pod.metadata.labels, COMPLETION_INDEX, String(index));
      pod.spec.hostname = `${name}-${index}`;
      for (const container of [...(pod.spec.initContainers ?? []), ...(pod.spec.containers ?? [])])
        addIndexVariable(container);
    },
  };
}

/** Names of pods are cut in front of the index. */
function generateNameWithIndex(name: string, index: number): string {
  const suffix = `-${index}-`;
  return `${name.slice(0, GENERATE_NAME_MAX - suffix.length)}${suffix}`;
}

function addIndexVariable(container: Container): void {
  if (container.env?.some(({ name }) => name === INDEX_ENV)) return;
  const fieldPath = `metadata.labels['${COMPLETION_INDEX}']`;
  container.env = [...(container.env ?? []), { name: INDEX_ENV, valueFrom: { fieldRef: { fieldPath } } }];
}
