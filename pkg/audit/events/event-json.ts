import type { UserInfo } from '../../api/resource-definition.ts';
import { detachedText } from '../../apimachinery/json/detached-text.ts';
import { stringifyEscaped } from '../../apimachinery/json/go-json.ts';
import type { AuditEvent, EventSubject, ObjectReference, ResponseStatus } from '../event.ts';
import type { AuditVersion } from './event-format.ts';
import { withoutManagedFields } from './managed-fields.ts';
import { microTime, secondTime } from './event-time.ts';
import { PieceMemory } from './piece-memory.ts';
import { quoted, quotedAgain } from './quoted-text.ts';

/** The shared text of all events of a subject: around the stage, and before its time. */
interface SubjectJson {
  readonly beforeStage: string;
  readonly afterStage: string;
  readonly beforeTime: string;
}

const DECISION = 'authorization.k8s.io/decision';
const REASON = 'authorization.k8s.io/reason';

// Process-wide: what a piece says depends on its arguments alone.
const levels = new PieceMemory((opening, level) => `${opening}"level":"${level}",`);
const verbs = new PieceMemory((verb) => `,"verb":${quoted(verb)},"user":`);
const origins = new PieceMemory(
  (ip, agent) => (ip === '' ? '' : `,"sourceIPs":[${quoted(ip)}]`) + textField('userAgent', agent),
);
const places = new PieceMemory(
  (resource, namespace) => `,"objectRef":{"resource":${quoted(resource)}${textField('namespace', namespace)}`,
);
const versions = new PieceMemory(
  (apiGroup, apiVersion) => textField('apiGroup', apiGroup) + textField('apiVersion', apiVersion),
);
const decisions = new PieceMemory(
  (decision, reason) => `,"annotations":{"${DECISION}":${quoted(decision)},"${REASON}":${quoted(reason)}}}`,
);
const codes = new PieceMemory((code) => `,"responseStatus":{"metadata":{},"code":${code}}`);

/**
 * Writes events of one batch as JSON text. Text that the events of a request or of a user share is made once a batch;
 * text that many requests share, once for all.
 */
export class EventJson {
  private readonly version: AuditVersion;
  /** The older version has times in seconds besides. */
  private readonly isOlder: boolean;
  private readonly opening: string;
  private readonly subjects = new Map<EventSubject, SubjectJson>();
  private readonly users = new Map<UserInfo, string>();

  /** `typed`: events have kind and version, as single events do; the items of an EventList have none. */
  constructor(version: AuditVersion, typed: boolean) {
    this.version = version;
    this.isOlder = version === 'audit.k8s.io/v1beta1';
    this.opening = typed ? `{"kind":"Event","apiVersion":"${this.version}",` : '{';
  }

  /** One event on one line. */
  text(event: AuditEvent): string {
    const { responseStatus, annotations, stageMs } = event;
    const { beforeStage, afterStage, beforeTime } = this.subjectJson(event.subject);
    return (
      (this.isOlder ? `${this.opening}"metadata":{"creationTimestamp":"${secondTime(stageMs)}"},` : '') +
      beforeStage +
      event.stage +
      afterStage +
      (responseStatus === undefined ? '' : statusJson(responseStatus)) +
      objectField('requestObject', event.requestObject, event) +
      objectField('responseObject', event.responseObject, event) +
      beforeTime +
      microTime(stageMs) +
      (annotations === undefined || annotations.size === 0 ? '"}' : `"${annotationsJson(annotations)}`)
    );
  }

  private subjectJson(subject: EventSubject): SubjectJson {
    let json = this.subjects.get(subject);
    if (json === undefined) this.subjects.set(subject, (json = this.makeSubjectJson(subject)));
    return json;
  }

  private makeSubjectJson({
    level,
    auditId,
    requestUri,
    verb,
    user,
    impersonatedUser,
    sourceIps,
    userAgent,
    objectRef,
    receivedMs,
  }: EventSubject): SubjectJson {
    return {
      beforeStage: `${levels.get(this.isOlder ? '' : this.opening, level)}${this.isOlder ? `"timestamp":"${secondTime(receivedMs)}",` : ''}"auditID":${quoted(auditId)},"stage":"`,
      afterStage:
        `","requestURI":${quoted(requestUri)}${verbs.get(verb)}${this.userJson(user)}` +
        (impersonatedUser === undefined ? '' : `,"impersonatedUser":${this.userJson(impersonatedUser)}`) +
        (sourceIps.length > 1
          ? `,"sourceIPs":${listJson(sourceIps)}${origins.get('', userAgent)}`
          : origins.get(sourceIps[0] ?? '', userAgent)) +
        (objectRef === undefined ? '' : referenceJson(objectRef)),
      beforeTime: `,"requestReceivedTimestamp":"${microTime(receivedMs)}","stageTimestamp":"`,
    };
  }

  private userJson(user: UserInfo): string {
    let json = this.users.get(user);
    if (json === undefined) this.users.set(user, (json = detachedText(makeUserJson(user))));
    return json;
  }
}

function objectField(name: string, json: string | undefined, { subject }: AuditEvent): string {
  return json === undefined ? '' : `,"${name}":${subject.omitManagedFields ? withoutManagedFields(json) : json}`;
}

function makeUserJson({ name, uid = '', groups, extra }: UserInfo): string {
  return object(
    textField('username', name) +
      textField('uid', uid) +
      (groups.length === 0 ? '' : `,"groups":${listJson(groups)}`) +
      (extra === undefined || Object.keys(extra).length === 0 ? '' : `,"extra":${stringifyEscaped(extra)}`),
  );
}

function referenceJson({
  resource,
  namespace,
  name,
  uid,
  apiGroup,
  apiVersion,
  resourceVersion,
  subresource,
}: ObjectReference): string {
  return (
    places.get(resource, namespace) +
    ownField('name', name) +
    ownField('uid', uid) +
    versions.get(apiGroup, apiVersion) +
    `${ownField('resourceVersion', resourceVersion)}${textField('subresource', subresource)}}`
  );
}

function statusJson({ status, message = '', reason = '', details, code = 0 }: ResponseStatus): string {
  if (status === undefined && message === '' && reason === '' && details === undefined && code !== 0)
    return codes.get(String(code));
  return (
    `,"responseStatus":{"metadata":{}${textField('status', status ?? '')}${ownField('message', message)}${textField('reason', reason)}` +
    (details === undefined ? '' : `,"details":${stringifyEscaped(details)}`) +
    (code === 0 ? '}' : `,"code":${code}}`)
  );
}

/** With the event's end. Sorted by key, in which order they nearly always come. */
function annotationsJson(annotations: ReadonlyMap<string, string>): string {
  const decision = annotations.get(DECISION);
  const reason = annotations.get(REASON);
  if (annotations.size === 2 && decision !== undefined && reason !== undefined) return decisions.get(decision, reason);
  return `,"annotations":${sortedJson(annotations)}}`;
}

function sortedJson(annotations: ReadonlyMap<string, string>): string {
  let json = '';
  let latest = '';
  for (const [key, value] of annotations) {
    if (key < latest) return sortedJson(new Map([...annotations].sort(([one], [other]) => (one < other ? -1 : 1))));
    json += `${json === '' ? '{' : ','}${quotedAgain(key)}:${quotedAgain(value)}`;
    latest = key;
  }
  return `${json}}`;
}

/** An object of fields that each begin with a comma. */
function object(fields: string): string {
  return `{${fields.slice(1)}}`;
}

/** A field of this event alone. */
function ownField(name: string, value: string): string {
  return value === '' ? '' : `,"${name}":${quoted(value)}`;
}

/** A field that many events have with the same text. */
function textField(name: string, value: string): string {
  return value === '' ? '' : `,"${name}":${quotedAgain(value)}`;
}

function listJson(texts: readonly string[]): string {
  return `[${texts.map(quotedAgain).join(',')}]`;
}
