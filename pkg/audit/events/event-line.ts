import { goQuote } from '../../apimachinery/values/go-format.ts';
import type { AuditEvent, EventSubject } from '../event.ts';
import { shortTime } from './event-time.ts';

/** One line of text for an event, without its end: the format `legacy`. */
export function eventLine(event: AuditEvent): string {
  const { subject } = event;
  const { userName, groups, asUser, asGroups, namespace, ip } = peopleOf(subject);
  const code = event.responseStatus === undefined ? '<deferred>' : String(event.responseStatus.code ?? 0);
  return (
    `${shortTime(subject.receivedMs)} AUDIT: id=${goQuote(subject.auditId)} stage=${goQuote(event.stage)} ip=${goQuote(ip)} method=${goQuote(subject.verb)} user=${goQuote(userName)} ` +
    `groups=${goQuote(groups)} as=${goQuote(asUser)} asgroups=${goQuote(asGroups)} user-agent=${goQuote(subject.userAgent)} namespace=${goQuote(namespace)} uri=${goQuote(subject.requestUri)} response="${code}"`
  );
}

/** A line for the request and one for its answer, as before policies existed. */
export function requestLines(event: AuditEvent): string {
  const { subject } = event;
  const { userName, groups, asUser, asGroups, namespace, ip } = peopleOf(subject);
  const id = goQuote(subject.auditId);
  return (
    `${shortTime(subject.receivedMs)} AUDIT: id=${id} ip=${goQuote(ip)} method=${goQuote(subject.verb)} user=${goQuote(userName)} ` +
    `groups=${goQuote(groups)} as=${goQuote(asUser)} asgroups=${goQuote(asGroups)} namespace=${goQuote(namespace)} uri=${goQuote(subject.requestUri)}\n` +
    `${shortTime(event.stageMs)} AUDIT: id=${id} response="${event.responseStatus?.code ?? 0}"`
  );
}

function peopleOf({
  user,
  impersonatedUser,
  objectRef,
  sourceIps,
}: EventSubject): Readonly<Record<'userName' | 'groups' | 'asUser' | 'asGroups' | 'namespace' | 'ip', string>> {
  const quoted = (names: readonly string[]): string => names.map(goQuote).join(',');
  return {
    userName: user.name || '<none>',
    groups: user.name === '' || user.groups.length === 0 ? '<none>' : quoted(user.groups),
    asUser: impersonatedUser?.name ?? '<self>',
    asGroups:
      impersonatedUser === undefined || impersonatedUser.groups.length === 0
        ? '<lookup>'
        : quoted(impersonatedUser.groups),
    namespace: objectRef?.namespace || '<none>',
    ip: sourceIps[0] ?? '<unknown>',
  };
}
