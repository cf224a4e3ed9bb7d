import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import type { OptionValues } from '../../options/option.ts';
import { optionProblem, OptionsError } from '../../options/options-error.ts';
import type { BackendTls } from './backend.ts';

const AUTHORITY = 'nodeagent-certificate-authority';
const CERTIFICATE = 'nodeagent-client-certificate';
const KEY = 'nodeagent-client-key';
const pemBlock = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * What the files hold by which agents are believed and this server shows who it is, read again when one of them has changed. What is broken or half
 * written is not used: `onWarning` is told once, and the material from before stays. Throws `OptionsError` for what is wrong at first.
 */
export function followedAgentTls(options: OptionValues, onWarning: (message: string) => void): () => BackendTls {
  const files = [AUTHORITY, CERTIFICATE, KEY].map((option) => options.string(option)).filter((file) => file !== '');
  const look = (): string => files.map(stateOf).join(' ');
  let state = look();
  const first = readTls(options);
  if (first.problems.length > 0) throw new OptionsError(first.problems);
  let { tls } = first;
  return () => {
    const found = look();
    if (found === state) return tls;
    state = found;
    const fresh = readTls(options);
    if (fresh.problems.length === 0) ({ tls } = fresh);
    else onWarning(fresh.problems.join('; '));
    return tls;
  };
}

/** Differs when the file was written or another one took its place; also when it is not there. */
function stateOf(file: string): string {
  try {
    const { ino, size, mtimeMs, ctimeMs } = statSync(file);
    return `${ino} ${size} ${mtimeMs} ${ctimeMs}`;
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code);
  }
}

function readTls(options: OptionValues): { readonly tls: BackendTls; readonly problems: readonly string[] } {
  const problems: string[] = [];
  const ca = certificates(options, AUTHORITY, problems);
  const certificate = certificates(options, CERTIFICATE, problems);
  const key = privateKey(options, problems);
  if (certificate !== undefined && key !== undefined && !new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key))) {
    problems.push(optionProblem(KEY, options.string(KEY), `is not the key of the certificate in --${CERTIFICATE}`));
  }
  return { tls: { ...(ca === undefined ? {} : { ca }), ...(certificate === undefined ? {} : { certificate }), ...(key === undefined ? {} : { key }) }, problems };
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
