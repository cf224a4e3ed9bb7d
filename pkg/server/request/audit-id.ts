import { randomUUID } from 'node:crypto';
import type { Exchange } from './exchange.ts';

/** Client ids that are accepted: visible characters, so that they can be used in headers, logs and events. */
const CLIENT_ID = /^[\x21-\x7e]{1,128}$/;

/** The audit id of a request: that of its `Audit-Id` header, by which a front proxy finds it again, or a new one. */
export function auditIdOf({ headers }: Pick<Exchange, 'headers'>): string {
  const given = headers['audit-id'];
  return typeof given === 'string' && CLIENT_ID.test(given) ? given : randomUUID();
}
