import type { Logger } from '../logging/logger.ts';
import { ensureSelfSigned } from '../server/tls/self-signed.ts';
import { ServingTls } from '../server/tls/serving-tls.ts';
import type { TlsConfig } from './config/tls-config.ts';

export interface OpenedTls {
  readonly tls: ServingTls;
  /** File with what clients trust for the default pair, PEM. */
  readonly caFile: string;
}

/**
 * The TLS of the secure port; without a pair in the options, one signed by ourselves for `names`. Its files are
 * followed until it is stopped.
 */
export async function openServingTls(config: TlsConfig, names: readonly string[], logger: Logger): Promise<OpenedTls> {
  const { named, policy, clientAuthorityFiles, dir } = config;
  const pair = config.pair ?? ensureSelfSigned(dir, names, (message) => logger.warn(message));
  const tls = new ServingTls({
    pair,
    named,
    policy,
    clientAuthorityFiles,
    onReload: () => logger.info('files of TLS have changed and are used from now on'),
    onError: (error) =>
      logger.error('files of TLS have changed, but cannot be used: what they held before goes on', {
        error: (error as Error).message,
      }),
  });
  await tls.start();
  return { tls, caFile: 'caFile' in pair ? String(pair.caFile) : pair.certFile };
}
