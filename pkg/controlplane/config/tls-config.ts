import path from 'node:path';
import { GatheredProblems } from '../../options/gathered-problems.ts';
import type { OptionValues } from '../../options/option.ts';
import { optionProblem, OptionsError } from '../../options/options-error.ts';
import { readKeyPair, type KeyPairFiles } from '../../server/tls/key-pair-files.ts';
import { parseNamedPair, type NamedPair } from '../../server/tls/named-pair.ts';
import { tlsPolicy, type TlsPolicy } from '../../server/tls/tls-policy.ts';

/** The TLS of the secure port. Its files are followed while the server runs. */
export interface TlsConfig {
  /** That options name; undefined: one signed by ourselves, kept in `dir`. */
  readonly pair: KeyPairFiles | undefined;
  readonly named: readonly NamedPair[];
  readonly policy: TlsPolicy;
  /** Authorities whose certificates clients are asked for. */
  readonly clientAuthorityFiles: readonly string[];
  /** Of a pair of our own. */
  readonly dir: string;
}

/**
 * `dir`: of the control plane's files. Throws `OptionsError` for pairs that cannot be served; what cannot be read at
 * all is found by the table of options.
 */
export function readTlsConfig(options: OptionValues, dir: string): TlsConfig {
  const [certFile, keyFile] = [options.string('tls-cert-file'), options.string('tls-private-key-file')];
  const pair = certFile === '' || keyFile === '' ? undefined : { certFile, keyFile };
  const gathered = new GatheredProblems();
  if (pair !== undefined) gathered.attempt(() => checkPair('tls-cert-file', certFile, pair));
  const named = options.list('tls-sni-cert-key').map((item) => {
    const files = parseNamedPair(item);
    gathered.attempt(() => checkPair('tls-sni-cert-key', item, files));
    return files;
  });
  gathered.throwIfAny();
  return {
    pair,
    named,
    policy: tlsPolicy(options),
    clientAuthorityFiles: ['client-ca-file', 'requestheader-client-ca-file']
      .map((name) => options.string(name))
      .filter((file) => file !== ''),
    dir: options.string('cert-dir') || path.join(dir, 'pki'),
  };
}

function checkPair(option: string, value: string, files: KeyPairFiles): void {
  try {
    readKeyPair(files);
  } catch (error) {
    throw new OptionsError([optionProblem(option, value, (error as Error).message)]);
  }
}
