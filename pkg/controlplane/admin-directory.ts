import { mkdtempSync, rmdirSync } from 'node:fs';
import path from 'node:path';
import { makeDirectory } from '../options/make-directory.ts';
import type { Component } from '../options/option.ts';
import type { Logger } from '../logging/logger.ts';

/** What a file system says that lets this user write nothing. */
const refusals: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'EROFS']);

/** What says whether a server can do without a directory. */
interface AdminDirectoryConfig {
  readonly component: Component;
  readonly tls: { readonly pair: object | undefined };
}

/**
 * The directory in which the administrator's token and kubeconfig are kept, made where it is not there. Undefined, with
 * a warning, where this user may not write there and the server can do without: an `apiserver` with a certificate of
 * its own. Throws where it cannot.
 */
export function adminDirectory(
  config: AdminDirectoryConfig,
  dir: string,
  logger: Pick<Logger, 'warn'>,
): string | undefined {
  try {
    makeDirectory(dir, 0o700);
    // Tried, since what a user may do is not only a matter of modes.
    if (isOptional(config)) rmdirSync(mkdtempSync(path.join(dir, 'trial-')));
    return dir;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (!isOptional(config) || !refusals.has(code)) throw error;
    logger.warn(
      'the directory cannot be written: there is no kubeconfig, and without --token-file no token of an administrator',
      { option: 'cert-dir', dir, code },
    );
    return undefined;
  }
}

function isOptional({ component, tls }: AdminDirectoryConfig): boolean {
  return component === 'apiserver' && tls.pair !== undefined;
}
