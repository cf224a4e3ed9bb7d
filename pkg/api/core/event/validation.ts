import { semanticDeepEqual } from '../../../apimachinery/json/deep.ts';
import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import { field } from '../../../apimachinery/errors/field-path.ts';
import { goStruct, type GoText } from '../../../apimachinery/values/go-format.ts';
import { isDns1123Subdomain, nameIsDns1123Subdomain } from '../../../apimachinery/names/names.ts';
import { FIELD_IMMUTABLE } from '../../../apimachinery/meta/object-meta-validation.ts';
import type { Event, ObjectReference } from '../../../generated/types/core-v1.ts';
import type { StrategyContext } from '../../resource-definition.ts';
import { reportProblems, validateQualifiedName } from '../../validation/names.ts';

/**
 * Clients of all ages write events: only the newest version is strict. The names in paths are always those of the core
 * group.
 */

export const STRICT_VERSION = 'events.k8s.io/v1';
const SHORT_TEXT_MAX = 128;
const MESSAGE_MAX = 1024;
const UNSET = 'needs to be unset';

export function validateEvent(event: Event, errors: FieldErrors, { requestVersion }: StrategyContext): void {
  validateLeniently(event, requestVersion, errors);
  if (requestVersion !== STRICT_VERSION) return;
  const { name } = event.metadata;
  if (name) reportProblems(nameIsDns1123Subdomain(name, false), name, field('metadata', 'name'), errors);
  validateSeries(event, errors);
  if (event.eventTime === null) errors.required(field('eventTime'));
  if (event.type !== 'Normal' && event.type !== 'Warning')
    errors.invalid(field('type'), '', `has invalid value: ${event.type ?? ''}`);
  if (event.firstTimestamp !== null) errors.invalid(field('firstTimestamp'), '', UNSET);
  if (event.lastTimestamp !== null) errors.invalid(field('lastTimestamp'), '', UNSET);
  if (event.count) errors.invalid(field('count'), '', UNSET);
  if (event.source.component || event.source.host) errors.invalid(field('source'), '', UNSET);
}

/** The strict version allows changes of the series only. */
export function validateEventUpdate(
  event: Event,
  old: Event,
  errors: FieldErrors,
  { requestVersion }: StrategyContext,
): void {
  validateLeniently(event, requestVersion, errors);
  if (requestVersion !== STRICT_VERSION) return;
  if (!semanticDeepEqual(event.series, old.series)) validateSeries(event, errors);
  for (const [name, shown] of IMMUTABLE_FIELDS) {
    if (!semanticDeepEqual(shown(event), shown(old))) errors.invalid(field(name), shown(event), FIELD_IMMUTABLE);
  }
}

/**
 * With the value as an error shows it; equal texts are equal values. Stock servers check the reason twice, and report
 * it twice.
 */
const IMMUTABLE_FIELDS: readonly [name: string, shown: (event: Event) => unknown][] = [
  ['involvedObject', (event) => goObjectReference(event.involvedObject)],
  ['reason', (event) => event.reason ?? ''],
  ['message', (event) => event.message ?? ''],
  ['source', ({ source }) => goStruct({ Component: source.component ?? '', Host: source.host ?? '' })],
  ['firstTimestamp', (event) => event.firstTimestamp],
  ['lastTimestamp', (event) => event.lastTimestamp],
  ['count', (event) => event.count ?? 0],
  ['reason', (event) => event.reason ?? ''],
  ['type', (event) => event.type ?? ''],
  ['eventTime', (event) => event.eventTime],
  ['action', (event) => event.action ?? ''],
  ['related', (event) => (event.related === undefined ? null : goObjectReference(event.related))],
  ['reportingController', (event) => event.reportingComponent],
  ['reportingInstance', (event) => event.reportingInstance],
];

/** The rules of every version. Those of `eventTime` recognize events of newer clients. */
function validateLeniently(event: Event, requestVersion: string, errors: FieldErrors): void {
  const namespace = event.metadata.namespace ?? '';
  if (!isNamespaceOfTarget(event, namespace)) {
    errors.invalid(
      field('involvedObject', 'namespace'),
      event.involvedObject.namespace ?? '',
      'does not match event.namespace',
    );
  }
  if (event.eventTime !== null) validateReport(event, requestVersion, errors);
  reportProblems(isDns1123Subdomain(namespace), namespace, field('namespace'), errors);
}

/** Events about cluster-scoped objects are in `default`. */
function isNamespaceOfTarget({ eventTime, involvedObject }: Event, namespace: string): boolean {
  const ofTarget = involvedObject.namespace ?? '';
  if (eventTime === null) return ofTarget === '' ? namespace === '' || namespace === 'default' : ofTarget === namespace;
  return ofTarget !== '' || namespace === 'default' || namespace === 'kube-system';
}

function validateReport(event: Event, requestVersion: string, errors: FieldErrors): void {
  const controllerPath = field(requestVersion === 'v1' ? 'reportingComponent' : 'reportingController');
  if (event.reportingComponent === '') errors.required(controllerPath);
  validateQualifiedName(event.reportingComponent, controllerPath, errors);
  validateShortText('reportingInstance', event.reportingInstance, errors);
  validateShortText('action', event.action ?? '', errors);
  validateShortText('reason', event.reason ?? '', errors);
  if (Buffer.byteLength(event.message ?? '') > MESSAGE_MAX)
    errors.invalid(field('message'), '', `can have at most ${MESSAGE_MAX} characters`);
}

function validateShortText(name: string, text: string, errors: FieldErrors): void {
  if (text === '') errors.required(field(name));
  if (Buffer.byteLength(text) > SHORT_TEXT_MAX)
    errors.invalid(field(name), '', `can have at most ${SHORT_TEXT_MAX} characters`);
}

function validateSeries({ series }: Event, errors: FieldErrors): void {
  if (series === undefined) return;
  if ((series.count ?? 0) < 2) errors.invalid(field('series.count'), '', 'should be at least 2');
  if (series.lastObservedTime === null) errors.required(field('series.lastObservedTime'));
}

function goObjectReference(reference: ObjectReference): GoText {
  const {
    kind = '',
    namespace = '',
    name = '',
    uid = '',
    apiVersion = '',
    resourceVersion = '',
    fieldPath = '',
  } = reference;
  return goStruct({
    Kind: kind,
    Namespace: namespace,
    Name: name,
    UID: uid,
    APIVersion: apiVersion,
    ResourceVersion: resourceVersion,
    FieldPath: fieldPath,
  });
}
