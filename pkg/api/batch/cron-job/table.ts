import type { CronJob } from '../../../generated/types/batch-v1.ts';
import { containerImages, containerNames } from '../../core/pod-spec/table-cells.ts';
import type { TableDefinition } from '../../resource-definition.ts';
import { age, labelSelectorText } from '../../table-cells.ts';

export const cronJobTable: TableDefinition<CronJob> = {
  columns: [
    { name: 'Name', type: 'string', format: 'name', description: 'Name of the cron job, unique in its namespace.' },
    { name: 'Schedule', type: 'string', description: 'When jobs are created, in cron form.' },
    { name: 'Timezone', type: 'string', description: 'Time zone of the schedule.' },
    { name: 'Suspend', type: 'boolean', description: 'Whether no further jobs are created for now.' },
    { name: 'Active', type: 'integer', description: 'Jobs that run now.' },
    { name: 'Last Schedule', type: 'string', description: 'Time since a job was last created.' },
    { name: 'Age', type: 'string', description: 'Time since the cron job was created.' },
    { name: 'Containers', type: 'string', priority: 1, description: 'Names of the containers in the template.' },
    { name: 'Images', type: 'string', priority: 1, description: 'Images of the containers in the template.' },
    { name: 'Selector', type: 'string', priority: 1, description: 'Labels by which the jobs find their pods.' },
  ],
  row({ metadata, spec, status }, nowMs) {
    const job = spec.jobTemplate.spec;
    return {
      cells: [
        metadata.name ?? '',
        spec.schedule,
        spec.timeZone ?? '<none>',
        booleanText(spec.suspend),
        (status.active ?? []).length,
        status.lastScheduleTime === undefined ? '<none>' : age(status.lastScheduleTime, nowMs),
        age(metadata.creationTimestamp, nowMs),
        containerNames(job.template.spec),
        containerImages(job.template.spec),
        labelSelectorText(job.selector),
      ],
    };
  },
};

function booleanText(value: boolean | undefined): string {
  if (value === undefined) return '<unset>';
  return value ? 'True' : 'False';
}
