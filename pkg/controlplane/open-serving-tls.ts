import type { OptionValues } from '../options/option.ts';
import { optionProblem } from '../options/options-error.ts';
import { readKeyPair, type KeyPairFiles } from '../server/tls/key-pair-files.ts';
import { parseNamedPair } from '../server/tls/named-pair.ts';
import { ensureSelfSigned } from '../server/tls/self-signed.ts';
import { ServingTls } from '../server/tls/serving-tls.ts';
import { tlsPolicy } from '../server/tls/tls-policy.ts';
import type { Logger } from '../logging/logger.ts';

export interface OpenedTls {
  readonly tls: ServingTls;
  /** File with what clients trust for the default pair, PEM. */
  readonly caFile: string;
}

/**
 * The TLS of the secure port; without a pair in the options, one signed by ourselves for `names`, kept in `dir`. Its
 * files are followed until it is stopped.
 */
export async function openServingTls(
  options: OptionValues,
  dir: string,
  names: readonly string[],
  logger: Logger,
): Promise<OpenedTls> {
  const pair = givenPair(options) ?? (await ensureSelfSigned(dir, names, (message) => logger.warn(message)));
  const tls = new ServingTls({
    pair,
    named: options.list('tls-sni-cert-key').map(parseNamedPair),
    policy: tlsPolicy(options),
    clientAuthorityFiles: ['client-ca-file', 'requestheader-client-ca-file']
      .map((name) => options.string(name))
      .filter((file) => file !== ''),
    onReload: () => logger.info('files of TLS have changed and are used from now on'),
    onError: (error) =>
      logger.error('files of TLS have changed, but cannot be used: what they held before goes on', {
        error: (error as Error).message,
      }),
  });
  await tls.start();
  return { tls, caFile: 'caFile' in pair ? String(pair.caFile) : pair.certFile };
}

/** What is wrong with the pairs that options name; what cannot be read at all is found by the table of options. */
export function servingTlsProblems(options: OptionValues): string[] {
  const pair = givenPair(options);
  const named = options.list('tls-sni-cert-key').map((item) => [item, parseNamedPair(item)] as const);
  return [
    ...(pair === undefined ? [] : pairProblems('tls-cert-file', pair.certFile, pair)),
    ...named.flatMap(([item, files]) => pairProblems('tls-sni-cert-key', item, files)),
  ];
}

/** The pair of the secure port that options name. */
export function givenPair(options: OptionValues): KeyPairFiles | undefined {
  const [certFile, keyFile] = [options.string('tls-cert-file'), options.string('tls-private-key-file')];
  return certFile === '' || keyFile === '' ? undefined : { certFile, keyFile };
}

function pairProblems(option: string, value: string, files: KeyPairFiles): string[] {
  try {
    readKeyPair(files);
    return [];
  } catch (error) {
    return [optionProblem(option, value, (error as Error).message)];
  }
}
