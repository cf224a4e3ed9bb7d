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

/** Files by option; empty where there is none. */
export type AgentTlsFiles = Readonly<Record<typeof AUTHORITY | typeof CERTIFICATE | typeof KEY, string>>;

export function agentTlsFiles(options: OptionValues): AgentTlsFiles {
  return {
    [AUTHORITY]: options.string(AUTHORITY),
    [CERTIFICATE]: options.string(CERTIFICATE),
    [KEY]: options.string(KEY),
  };
}

/**
 * The certificates with which agents are verified and this server authenticates, read again when one of the files has
 * changed. Broken or incomplete content is not used: `onWarning` is called once, and the previous material stays.
 * Throws `OptionsError` for errors at the start.
 */
export function followedAgentTls(
  named: AgentTlsFiles,
  onWarning: (message: string) => void,
  nowMs: () => number,
): () => BackendTls {
  const files = Object.values(named).filter((file) => file !== '');
  return reloadedFiles({
    files,
    read: () => readAgentTls(named),
    onError: (error) => onWarning((error as Error).message),
    nowMs,
  });
}

/** Throws `OptionsError` for what is wrong with the files. */
export function readAgentTls(files: AgentTlsFiles): BackendTls {
  const problems: string[] = [];
  const ca = certificates(files, AUTHORITY, problems);
  const certificate = certificates(files, CERTIFICATE, problems);
  const key = privateKey(files, problems);
  if (
    certificate !== undefined &&
    key !== undefined &&
    !new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key))
  ) {
    problems.push(optionProblem(KEY, files[KEY], `is not the key of the certificate in --${CERTIFICATE}`));
  }
  if (problems.length > 0) throw new OptionsError(problems);
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(certificate === undefined ? {} : { certificate }),
    ...(key === undefined ? {} : { key }),
  };
}

function certificates(files: AgentTlsFiles, option: keyof AgentTlsFiles, problems: string[]): string | undefined {
  return content(files, option, problems, 'holds no PEM certificate', (text) => {
    const blocks = certificateBlocks(text);
    for (const block of blocks) new X509Certificate(block);
    return blocks.length > 0;
  });
}

function privateKey(files: AgentTlsFiles, problems: string[]): string | undefined {
  return content(files, KEY, problems, 'holds no PEM private key', (text) => createPrivateKey(text).type === 'private');
}

/** The content of an option's file; undefined where there is none, or an invalid one. */
function content(
  files: AgentTlsFiles,
  option: keyof AgentTlsFiles,
  problems: string[],
  rule: string,
  isRight: (text: string) => boolean,
): string | undefined {
  const file = files[option];
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
