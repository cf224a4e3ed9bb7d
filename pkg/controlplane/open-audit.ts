import type { AuditObserver } from '../audit/audit-observer.ts';
import type { Auditor } from '../audit/auditor.ts';
import { buildAudit } from '../audit/build-audit.ts';
import type { OptionValues } from '../options/option.ts';
import type { Logger } from '../logging/logger.ts';
import { AuditPool } from '../workers/audit-pool.ts';
import type { OpenParts } from './open-parts.ts';

export interface AuditOpening {
  readonly options: OptionValues;
  /** Module that worker threads run. */
  readonly workerFile: string;
  readonly observer: AuditObserver;
  readonly logger: Logger;
}

/**
 * What the options say of auditing; undefined where nothing is written down. To be opened before the server, so that it
 * is closed when the last request is done. Throws `OptionsError`.
 */
export function openAudit(
  { options, workerFile, observer, logger }: AuditOpening,
  parts: OpenParts,
): Auditor | undefined {
  const pool = new AuditPool(workerFile);
  parts.add(() => pool.close());
  const auditor = buildAudit({
    options,
    observer,
    serialize: (batch) => pool.serialize(batch),
    report: (message) => logger.warn(message),
    nowMs: Date.now,
  });
  parts.add(() => auditor?.close());
  return auditor;
}
