import { existsSync, readFileSync } from 'node:fs';
import { builtInSigners } from '../controllermanager/read-controllers-config.ts';
import type { ControllersConfig, SigningAuthority } from '../controllers/controllers-config.ts';
import { authorityKeyFile } from '../server/tls/self-signed.ts';

/** Keys and authorities that a control plane has of its own. */
export interface OwnFiles {
  /** What clients trust for the serving certificate; its key is beside it where it was made here. */
  readonly caFile: string;
  /** Signs the tokens of service accounts. PEM; undefined: none signs. */
  readonly accountKey: string | undefined;
}

/** What options leave open: controllers beside the server publish and sign with what it has of its own. */
export function withOwnAuthorities(
  config: ControllersConfig,
  { caFile, accountKey = '' }: OwnFiles,
): ControllersConfig {
  const { accounts, signing } = config;
  const certificate = readFileSync(caFile, 'utf8');
  const authority = { certificate, privateKey: privateKeyBeside(caFile) };
  return {
    ...config,
    accounts: { ...accounts, rootCa: accounts.rootCa || certificate, privateKey: accounts.privateKey || accountKey },
    signing: {
      ...signing,
      authorities: signing.authorities.size > 0 ? signing.authorities : authoritiesOf(authority),
    },
  };
}

function authoritiesOf({ certificate, privateKey }: SigningAuthority): ControllersConfig['signing']['authorities'] {
  if (privateKey === '') return new Map();
  return new Map(builtInSigners.map((signer) => [signer, { certificate, privateKey }]));
}

function privateKeyBeside(caFile: string): string {
  const file = authorityKeyFile(caFile);
  // A file without the usual ending would stand for its own key.
  return file !== caFile && existsSync(file) ? readFileSync(file, 'utf8') : '';
}
