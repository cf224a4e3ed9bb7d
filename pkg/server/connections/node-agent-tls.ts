import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { certificateBlocks } from '../../apimachinery/certificate-blocks.ts';
import type { OptionValues } from '../../options/option.ts';
import { optionProblem, OptionsError } from '../../options/options-error.ts';
import { reloadedFiles } from '../../options/reloaded-files.ts';
import type { BackendTls } from './backend.ts';

const AUTHORITY = 'nodeagent-certificate-authority';
const CERTIFICATE = 'nodeagent-client-certificate';
const KEY = 'nodeagent-client-key';

/**
 * The certificates with which agents are verified and this server authenticates, read again when one of the files has
 * changed. Broken or incomplete content is not used: `onWarning` is called once, and the previous material stays.
 * Throws `OptionsError` for errors at the start.
 */
export function followedAgentTls(
  options: OptionValues,
  onWarning: (message: string) => void,
  nowMs: () => number,
): () => BackendTls {
  const files = [AUTHORITY, CERTIFICATE, KEY].map((option) => options.string(option)).filter((file) => file !== '');
  return reloadedFiles({
    files,
    read: () => readTls(options),
    onError: (error) => onWarning((error as Error).message),
    nowMs,
  });
}

function readTls(options: OptionValues): BackendTls {
  const problems: string[] = [];
  const ca = certificates(options, AUTHORITY, problems);
  const certificate = certificates(options, CERTIFICATE, problems);
  const key = privateKey(options, problems);
  if (
    certificate !== undefined &&
    key !== undefined &&
    !new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key))
  ) {
    problems.push(optionProblem(KEY, options.string(KEY), `is not the key of the certificate in --${CERTIFICATE}`));
  }
  if (problems.length > 0) throw new OptionsError(problems);
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(certificate === undefined ? {} : { certificate }),
    ...(key === undefined ? {} : { key }),
  };
}

function certificates(options: OptionValues, option: string, problems: string[]): string | undefined {
  return content(options, option, problems, 'holds no PEM certificate', (text) => {
    const blocks = certificateBlocks(text);
    for (const block of blocks) new X509Certificate(block);
    return blocks.length > 0;
  });
}

function privateKey(options: OptionValues, problems: string[]): string | undefined {
  return content(
    options,
    KEY,
    problems,
    'holds no PEM private key',
    (text) => createPrivateKey(text).type === 'private',
  );
}

/** The content of an option's file; undefined where there is none, or an invalid one. */
function content(
  options: OptionValues,
  option: string,
  problems: string[],
  rule: string,
  isRight: (text: string) => boolean,
): string | undefined {
  const file = options.string(option);
  if (file === '') return undefined;
  try {
    const text = readFileSync(file, 'utf8');
    if (isRight(text)) return text;
  } catch {
    // Neither unreadable nor invalid content is quoted: it may be a secret.
  }
  problems.push(optionProblem(option, file, rule));
  return undefined;
}
