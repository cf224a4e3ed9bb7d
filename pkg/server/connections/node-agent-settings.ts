import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { OptionValues } from '../../options/option.ts';
import { optionProblem, OptionsError } from '../../options/options-error.ts';
import type { BackendTls } from './backend.ts';

/** What the `--nodeagent-*` options say of the agents of nodes. */
export interface NodeAgentSettings {
  readonly https: boolean;
  /** Kinds of addresses of a node in the order in which they are wanted. */
  readonly addressTypes: readonly string[];
  /** Where a node tells none. */
  readonly port: number;
  readonly dialTimeoutMs: number;
  readonly tls: BackendTls;
}

const AUTHORITY = 'nodeagent-certificate-authority';
const CERTIFICATE = 'nodeagent-client-certificate';
const KEY = 'nodeagent-client-key';
const pemBlock = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** Reads the files as well; throws `OptionsError` for what is wrong with them. */
export function nodeAgentSettings(options: OptionValues): NodeAgentSettings {
  const problems: string[] = [];
  const tls = tlsOf(options, problems);
  if (problems.length > 0) throw new OptionsError(problems);
  return {
    https: options.bool('nodeagent-https'),
    addressTypes: options.list('nodeagent-preferred-address-types'),
    port: options.int('nodeagent-port'),
    dialTimeoutMs: options.timerMs('nodeagent-timeout'),
    tls,
  };
}

function tlsOf(options: OptionValues, problems: string[]): BackendTls {
  const ca = certificates(options, AUTHORITY, problems);
  const certificate = certificates(options, CERTIFICATE, problems);
  const key = privateKey(options, problems);
  if (certificate !== undefined && key !== undefined && !new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key))) {
    problems.push(optionProblem(KEY, options.string(KEY), `is not the key of the certificate in --${CERTIFICATE}`));
  }
  return { ...(ca === undefined ? {} : { ca }), ...(certificate === undefined ? {} : { certificate }), ...(key === undefined ? {} : { key }) };
}

function certificates(options: OptionValues, option: string, problems: string[]): string | undefined {
  return content(options, option, problems, 'holds no PEM certificate', (text) => {
    const blocks = text.match(pemBlock) ?? [];
    for (const block of blocks) new X509Certificate(block);
    return blocks.length > 0;
  });
}

function privateKey(options: OptionValues, problems: string[]): string | undefined {
  return content(options, KEY, problems, 'holds no PEM private key', (text) => createPrivateKey(text).type === 'private');
}

/** What the file of an option holds; undefined where there is none, or a wrong one. */
function content(options: OptionValues, option: string, problems: string[], rule: string, isRight: (text: string) => boolean): string | undefined {
  const file = options.string(option);
  if (file === '') return undefined;
  try {
    const text = readFileSync(file, 'utf8');
    if (isRight(text)) return text;
  } catch {
    // Neither what cannot be read nor what cannot be parsed is quoted: it may be a secret.
  }
  problems.push(optionProblem(option, file, rule));
  return undefined;
}
