import { setKey } from '../../../apimachinery/json/own-keys.ts';
import type { CertificateSigningRequest } from '../../../generated/types/certificates-v1.ts';
import type { StrategyContext } from '../../resource-definition.ts';

/** The server sets the requesting user, not the client. */
export function fillInRequestor({ spec }: CertificateSigningRequest, { user }: StrategyContext): void {
  for (const name of ['username', 'uid', 'groups', 'extra'] as const) delete spec[name];
  if (user.name !== '') spec.username = user.name;
  if (user.uid) spec.uid = user.uid;
  if (user.groups.length > 0) spec.groups = [...user.groups];
  const extra = Object.entries(user.extra ?? {});
  if (extra.length === 0) return;
  spec.extra = {};
  for (const [key, values] of extra) setKey(spec.extra, key, [...values]);
}

/** A request never changes; the status has subresources. */
export function keepSpec(object: CertificateSigningRequest, old: CertificateSigningRequest): void {
  object.spec = old.spec;
}

/** Approval changes nothing but conditions. */
export function prepareApproval(
  object: CertificateSigningRequest,
  old: CertificateSigningRequest,
  context: StrategyContext,
): void {
  keepSpec(object, old);
  stampConditions(object, old, context.now);
  const { conditions } = object.status;
  object.status = { ...old.status };
  if (conditions === undefined) delete object.status.conditions;
  else object.status.conditions = conditions;
}

/** Existing approvals stay unchanged: signers need not send them back exactly. */
export function prepareStatus(
  object: CertificateSigningRequest,
  old: CertificateSigningRequest,
  context: StrategyContext,
): void {
  for (const type of ['Approved', 'Denied']) {
    const before = (old.status.conditions ?? []).filter((condition) => condition.type === type);
    const now = (object.status.conditions ?? []).flatMap((condition, i) => (condition.type === type ? [i] : []));
    if (before.length !== now.length) continue;
    for (const [i, index] of now.entries()) object.status.conditions![index] = before[i]!;
  }
  stampConditions(object, old, context.now);
}

function stampConditions(object: CertificateSigningRequest, old: CertificateSigningRequest, now: string): void {
  const times = new Map<string, string>();
  const identity = ({ type, status }: { type: string; status: string }): string => JSON.stringify([type, status]);
  for (const before of old.status.conditions ?? []) {
    if (before.lastTransitionTime !== null && !times.has(identity(before)))
      times.set(identity(before), before.lastTransitionTime);
  }
  for (const condition of object.status.conditions ?? []) {
    condition.lastUpdateTime ??= now;
    if (condition.lastTransitionTime === null) condition.lastTransitionTime = times.get(identity(condition)) ?? now;
  }
}
