import type { UserInfo } from '../../api/resource-definition.ts';
import { stringifyJson } from '../../apimachinery/json.ts';
import type { AuditEvent, ObjectReference, ResponseStatus } from '../event.ts';
import type { AuditVersion } from './event-format.ts';
import { withoutManagedFields } from './managed-fields.ts';
import { microTime, secondTime } from './event-time.ts';

/** One event as JSON text on one line. `typed`: with its kind and version, as it stands alone; the items of an EventList have none. */
export function eventJson(event: AuditEvent, version: AuditVersion, typed: boolean): string {
  const fields = new JsonFields();
  if (typed) {
    fields.text('kind', 'Event');
    fields.text('apiVersion', version);
  }
  // The older version has times in seconds besides.
  if (version === 'audit.k8s.io/v1beta1') fields.raw('metadata', `{"creationTimestamp":"${secondTime(event.stageMs)}"}`);
  fields.text('level', event.level);
  if (version === 'audit.k8s.io/v1beta1') fields.text('timestamp', secondTime(event.receivedMs));
  fields.text('auditID', event.auditId);
  fields.text('stage', event.stage);
  fields.text('requestURI', event.requestUri);
  fields.text('verb', event.verb);
  fields.raw('user', userJson(event.user));
  if (event.impersonatedUser !== undefined) fields.raw('impersonatedUser', userJson(event.impersonatedUser));
  if (event.sourceIps.length > 0) fields.raw('sourceIPs', JSON.stringify(event.sourceIps));
  fields.nonEmpty('userAgent', event.userAgent);
  if (event.objectRef !== undefined) fields.raw('objectRef', referenceJson(event.objectRef));
  if (event.responseStatus !== undefined) fields.raw('responseStatus', statusJson(event.responseStatus));
  addObject(fields, 'requestObject', event.requestObject, event);
  addObject(fields, 'responseObject', event.responseObject, event);
  fields.text('requestReceivedTimestamp', microTime(event.receivedMs));
  fields.text('stageTimestamp', microTime(event.stageMs));
  if (event.annotations !== undefined && event.annotations.size > 0) fields.raw('annotations', annotationsJson(event.annotations));
  return fields.object();
}

/** Builds an object field by field, in the order of the calls. */
class JsonFields {
  private json = '';

  raw(name: string, json: string): void {
    this.json += `${this.json === '' ? '' : ','}"${name}":${json}`;
  }

  text(name: string, value: string): void {
    this.raw(name, JSON.stringify(value));
  }

  nonEmpty(name: string, value: string): void {
    if (value !== '') this.text(name, value);
  }

  object(): string {
    return `{${this.json}}`;
  }
}

function addObject(fields: JsonFields, name: string, json: string | undefined, { omitManagedFields }: AuditEvent): void {
  if (json !== undefined) fields.raw(name, omitManagedFields ? withoutManagedFields(json) : json);
}

function userJson({ name, uid = '', groups, extra }: UserInfo): string {
  const fields = new JsonFields();
  fields.nonEmpty('username', name);
  fields.nonEmpty('uid', uid);
  if (groups.length > 0) fields.raw('groups', JSON.stringify(groups));
  if (extra !== undefined && Object.keys(extra).length > 0) fields.raw('extra', JSON.stringify(extra));
  return fields.object();
}

function referenceJson(reference: ObjectReference): string {
  const fields = new JsonFields();
  for (const name of ['resource', 'namespace', 'name', 'uid', 'apiGroup', 'apiVersion', 'resourceVersion', 'subresource'] as const) fields.nonEmpty(name, reference[name]);
  return fields.object();
}

function statusJson({ status, message, reason, details, code }: ResponseStatus): string {
  const fields = new JsonFields();
  fields.raw('metadata', '{}');
  fields.nonEmpty('status', status ?? '');
  fields.nonEmpty('message', message ?? '');
  fields.nonEmpty('reason', reason ?? '');
  if (details !== undefined) fields.raw('details', stringifyJson(details));
  if (code !== undefined && code !== 0) fields.raw('code', String(code));
  return fields.object();
}

function annotationsJson(annotations: ReadonlyMap<string, string>): string {
  const sorted = [...annotations].sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${sorted.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`).join(',')}}`;
}
