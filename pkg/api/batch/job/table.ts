import type { ObjectMeta } from '../../../apimachinery/meta/object.ts';
import type { Job, JobSpec, JobStatus } from '../../../generated/types/batch-v1.ts';
import { containerImages, containerNames } from '../../core/pod-spec/table-cells.ts';
import type { TableDefinition } from '../../resource-definition.ts';
import { isConditionTrue, type JobConditionType } from './conditions.ts';
import { age, humanDuration, labelSelectorText } from '../../table-cells.ts';

export const jobTable: TableDefinition<Job> = {
  columns: [
    { name: 'Name', type: 'string', format: 'name', description: 'Name of the job, unique in its namespace.' },
    {
      name: 'Status',
      type: 'string',
      description: 'How far the job is: Running, Suspended, Complete, Failed, or on its way there.',
    },
    { name: 'Completions', type: 'string', description: 'Pods that have succeeded, of those that must.' },
    { name: 'Duration', type: 'string', description: 'Time that the job took, or has taken so far.' },
    { name: 'Age', type: 'string', description: 'Time since the job was created.' },
    { name: 'Containers', type: 'string', priority: 1, description: 'Names of the containers in the template.' },
    { name: 'Images', type: 'string', priority: 1, description: 'Images of the containers in the template.' },
    { name: 'Selector', type: 'string', priority: 1, description: 'Labels by which the job finds its pods.' },
  ],
  row({ metadata, spec, status }, nowMs) {
    return {
      cells: [
        metadata.name ?? '',
        statusText(metadata, status),
        completionsText(spec, status),
        durationText(status, nowMs),
        age(metadata.creationTimestamp, nowMs),
        containerNames(spec.template.spec),
        containerImages(spec.template.spec),
        labelSelectorText(spec.selector),
      ],
    };
  },
};

function statusText({ deletionTimestamp }: ObjectMeta, status: JobStatus): string {
  const holds = (type: JobConditionType): boolean => isConditionTrue(status, type);
  const end = (['Complete', 'Failed'] as const).find(holds);
  if (end !== undefined) return end;
  if (deletionTimestamp !== undefined) return 'Terminating';
  return (['Suspended', 'FailureTarget', 'SuccessCriteriaMet'] as const).find(holds) ?? 'Running';
}

function completionsText(spec: JobSpec, status: JobStatus): string {
  const succeeded = status.succeeded ?? 0;
  if (spec.completions !== undefined) return `${succeeded}/${spec.completions}`;
  return (spec.parallelism ?? 0) > 1 ? `${succeeded}/1 of ${spec.parallelism}` : `${succeeded}/1`;
}

function durationText({ startTime, completionTime }: JobStatus, nowMs: number): string {
  if (startTime === undefined) return '';
  const end = completionTime === undefined ? nowMs : Date.parse(completionTime);
  return humanDuration(end - Date.parse(startTime));
}
