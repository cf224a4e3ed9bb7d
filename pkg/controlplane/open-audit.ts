import type { AuditConfig } from '../audit/audit-config.ts';
import type { AuditObserver } from '../audit/audit-observer.ts';
import type { Auditor } from '../audit/auditor.ts';
import { buildAudit } from '../audit/build-audit.ts';
import type { Logger } from '../logging/logger.ts';
import { AuditPool } from '../workers/audit-pool.ts';
import type { OpenParts } from './open-parts.ts';

export interface AuditOpening {
  /** Module that worker threads run. */
  readonly workerFile: string;
  readonly observer: AuditObserver;
  readonly logger: Logger;
}

/**
 * Opens what requests are written down to; undefined where nothing is. To be opened before the server, so that it is
 * closed when the last request is done. Throws `OptionsError` for a log that cannot be written.
 */
export function openAudit(
  config: AuditConfig | undefined,
  { workerFile, observer, logger }: AuditOpening,
  parts: OpenParts,
): Auditor | undefined {
  if (config === undefined) return undefined;
  const pool = new AuditPool(workerFile);
  parts.add(() => pool.close());
  const auditor = buildAudit(config, {
    observer,
    serialize: (batch) => pool.serialize(batch),
    report: (message) => logger.warn(message),
    nowMs: Date.now,
  });
  parts.add(() => auditor.close());
  return auditor;
}
