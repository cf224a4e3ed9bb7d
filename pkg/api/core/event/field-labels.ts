import type { Event, ObjectReference } from '../../../generated/types/core-v1.ts';

type Label = (event: Event) => string;

const REFERENCE_FIELDS = [
  'kind',
  'namespace',
  'name',
  'uid',
  'apiVersion',
  'resourceVersion',
  'fieldPath',
] as const satisfies readonly (keyof ObjectReference)[];

/** The selectable fields of events, under the names of both groups. */
export const eventFieldLabels: Readonly<Record<string, Label>> = {
  ...referenceLabels('involvedObject'),
  ...referenceLabels('regarding'),
  reason: (event) => event.reason ?? '',
  reportingComponent: (event) => event.reportingComponent,
  reportingController: (event) => event.reportingComponent,
  source: (event) => event.source.component || event.reportingComponent,
  type: (event) => event.type ?? '',
};

function referenceLabels(prefix: string): Record<string, Label> {
  return Object.fromEntries(
    REFERENCE_FIELDS.map((name) => [`${prefix}.${name}`, (event: Event) => event.involvedObject[name] ?? '']),
  );
}
