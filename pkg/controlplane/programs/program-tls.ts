import { hostname } from 'node:os';
import path from 'node:path';
import type { SecureContextOptions } from 'node:tls';
import type { Logger } from '../../logging/logger.ts';
import type { ListenerTls } from '../../server/tls/listener-tls.ts';
import { createServingPair } from '../../server/tls/serving-authority.ts';
import { openServingTls } from '../open-serving-tls.ts';
import type { PortsConfig } from './program-config.ts';

export interface ProgramTls {
  readonly tls: ListenerTls;
  /** To be called when the authorities of clients may have changed. */
  refresh(): void;
  stop(): void;
}

/**
 * The TLS of a program's secure port, with a pair of its own below `--cert-dir` where no other is given. `authorities`
 * are those of clients, PEM: their names are sent to clients, and asked for a certificate where there are some.
 */
export async function openProgramTls(
  component: string,
  { tls: config, bindAddress }: PortsConfig,
  authorities: () => string,
  logger: Logger,
): Promise<ProgramTls> {
  const names = [...new Set(['localhost', '127.0.0.1', hostname(), ...(isWildcard(bindAddress) ? [] : [bindAddress])])];
  const served =
    config.pair === undefined && config.dir === ''
      ? { tls: { context: { ...config.policy, ...createServingPair(names) } } as ListenerTls, stop: () => undefined }
      : await filed({ ...config, dir: path.join(config.dir, component) }, names, logger);
  return withAuthorities(served.tls, authorities, served.stop);
}

async function filed(
  config: PortsConfig['tls'],
  names: readonly string[],
  logger: Logger,
): Promise<{ tls: ListenerTls; stop: () => void }> {
  const { tls } = await openServingTls(config, names, logger);
  return { tls, stop: () => tls.stop() };
}

function withAuthorities(base: ListenerTls, authorities: () => string, stop: () => void): ProgramTls {
  let use: ((context: SecureContextOptions) => void) | undefined;
  let shown = authorities();
  const context = (): SecureContextOptions => ({ ...base.context, ...(shown === '' ? {} : { ca: shown }) });
  base.follow?.(() => use?.(context()));
  const { contextFor } = base;
  return {
    tls: {
      get context() {
        return context();
      },
      requestCert: shown !== '',
      ...(contextFor === undefined ? {} : { contextFor: (name) => contextFor.call(base, name) }),
      follow: (callback) => (use = callback),
    },
    refresh() {
      const now = authorities();
      if (now === shown) return;
      shown = now;
      use?.(context());
    },
    stop,
  };
}

function isWildcard(address: string): boolean {
  return address === '' || address === '0.0.0.0' || address === '::';
}
