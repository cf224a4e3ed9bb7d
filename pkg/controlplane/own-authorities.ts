import { existsSync, readFileSync } from 'node:fs';
import { builtInSigners, clientSigners } from '../controllermanager/read-controllers-config.ts';
import type { AuthoritySource, ControllersConfig } from '../controllers/controllers-config.ts';
import { authorityKeyFile } from '../server/tls/self-signed.ts';

/** Keys and authorities that a control plane has of its own. */
export interface OwnFiles {
  /** What clients trust for the serving certificate; its key is beside it where it was made here. */
  readonly caFile: string;
  /** What is believed of clients, with its key beside it; undefined: none of its own. */
  readonly clientCaFile?: string | undefined;
  /** Signs the tokens of service accounts. PEM; undefined: none signs. */
  readonly accountKey: string | undefined;
}

/** What options leave open: controllers beside the server publish and sign with what it has of its own. */
export function withOwnAuthorities(
  config: ControllersConfig,
  { caFile, clientCaFile = caFile, accountKey = '' }: OwnFiles,
): ControllersConfig {
  const { accounts, signing } = config;
  const certificate = readFileSync(caFile, 'utf8');
  return {
    ...config,
    accounts: { ...accounts, rootCa: accounts.rootCa || certificate, privateKey: accounts.privateKey || accountKey },
    signing: {
      ...signing,
      authorities: signing.authorities.size > 0 ? signing.authorities : authoritiesOf(caFile, clientCaFile),
    },
  };
}

/** What is believed of clients signs for no signer but those of clients. */
function authoritiesOf(caFile: string, clientCaFile: string): ControllersConfig['signing']['authorities'] {
  return new Map(
    builtInSigners.flatMap((signer) => {
      const source = sourceOf(clientSigners.includes(signer) ? clientCaFile : caFile);
      return source === undefined ? [] : [[signer, source] as const];
    }),
  );
}

/** Undefined where the key is not known. */
function sourceOf(caFile: string): AuthoritySource | undefined {
  const keyFile = authorityKeyFile(caFile);
  // A file without the usual ending would stand for its own key.
  if (keyFile === caFile || !existsSync(keyFile)) return undefined;
  return () => ({ certificate: readFileSync(caFile, 'utf8'), privateKey: readFileSync(keyFile, 'utf8') });
}
