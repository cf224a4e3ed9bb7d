import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { ClientCredentials } from '../../client/client-credentials.ts';
import { readClientCredentials } from '../../client/cluster-config.ts';
import type { OptionValues } from '../../options/option.ts';
import { optionProblem, OptionsError } from '../../options/options-error.ts';
import { ConfigurationSection } from '../configuration-section.ts';

/** What this server shows of itself to webhooks. */
export interface WebhookCredentials {
  /** By `host:port`, the host alone for port 443, or `*.` and an end of one of these. */
  readonly users: ReadonlyMap<string, ClientCredentials>;
  /** For webhooks that are not named. */
  readonly own: ClientCredentials;
}

const KINDS = [
  'apiserver.config.k8s.io/v1, WebhookAdmissionConfiguration',
  'apiserver.config.k8s.io/v1alpha1, WebhookAdmission',
];
const CERTIFICATE_OPTION = 'proxy-client-cert-file';
const KEY_OPTION = 'proxy-client-key-file';

/**
 * Reads the users of the plugin's cluster-config file, and the certificate of `--proxy-client-cert-file`. Throws Error
 * or `OptionsError`.
 */
export function webhookCredentials(configuration: unknown, options: OptionValues): WebhookCredentials {
  return { users: usersOf(configuration), own: ownCertificate(options) };
}

/** Those of the name that fits best: the whole name first, then ever shorter ends of it. */
export function credentialsFor({ users, own }: WebhookCredentials, host: string, port: number): ClientCredentials {
  const names = [`${host}:${port}`, ...(port === 443 ? [host] : [])];
  for (const name of names) {
    const steps = name.split('.');
    for (const candidate of [name, ...steps.slice(1).map((_, i) => `*.${steps.slice(i + 1).join('.')}`)]) {
      const user = users.get(candidate);
      if (user !== undefined) return user;
    }
  }
  return own;
}

function usersOf(configuration: unknown): ReadonlyMap<string, ClientCredentials> {
  if (configuration === undefined) return new Map();
  const section = ConfigurationSection.ofKind(configuration, KINDS);
  const file = section.text('kubeConfigFile') ?? '';
  if (file === '') return new Map();
  if (!path.isAbsolute(file))
    throw new Error(`kubeConfigFile must be an absolute file path, got ${JSON.stringify(file)}`);
  return readClientCredentials(file);
}

function ownCertificate(options: OptionValues): ClientCredentials {
  const [certificate, key] = [options.string(CERTIFICATE_OPTION), options.string(KEY_OPTION)];
  return certificate === '' || key === ''
    ? {}
    : { certificate: contentOf(CERTIFICATE_OPTION, certificate), key: contentOf(KEY_OPTION, key) };
}

function contentOf(option: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new OptionsError([
      optionProblem(
        option,
        file,
        `the file cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'unknown error'}`,
      ),
    ]);
  }
}
