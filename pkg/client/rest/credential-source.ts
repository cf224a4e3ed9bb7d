import { validateHeaderName, validateHeaderValue } from 'node:http';
import type { ClientCredentials, Impersonation, TokenSource } from '../client-credentials.ts';
import { CertificateFiles, type CertificatePair } from './certificate-files.ts';
import type { ExecPlugin } from './exec-plugin.ts';
import { RotatingFile } from './rotating-file.ts';

/** What a request shows of its user. */
export interface ShownCredentials {
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** PEM; the same strings as long as they have not changed. */
  readonly certificate?: string;
  readonly key?: string;
}

/** The credentials of one user at the time of each request. */
export class CredentialSource {
  private readonly credentials: ClientCredentials;
  private readonly fixed: ShownCredentials | undefined;
  private readonly impersonated: Readonly<Record<string, string | readonly string[]>>;
  private readonly plugin: ExecPlugin | undefined;
  private readonly tokens: TokenSource | undefined;
  private readonly certificateFiles: CertificateFiles | undefined;
  private last: ShownCredentials | undefined;

  constructor(credentials: ClientCredentials, plugin: ExecPlugin | undefined, nowMs?: () => number) {
    const { tokenFile, tokenSource } = credentials;
    this.credentials = credentials;
    this.plugin = plugin;
    this.impersonated = impersonationHeaders(credentials.impersonate);
    this.tokens = tokenSource ?? (tokenFile === undefined ? undefined : new RotatingFile(tokenFile, undefined, nowMs));
    this.certificateFiles = certificateFilesOf(credentials, nowMs);
    // Also finds out at once what no header can hold.
    const shown = this.shown(credentials.token, pairOf(credentials));
    if (plugin === undefined && this.tokens === undefined && this.certificateFiles === undefined) this.fixed = shown;
  }

  async current(): Promise<ShownCredentials> {
    if (this.fixed !== undefined) return this.fixed;
    const { token } = this.credentials;
    let pair = (await this.certificateFiles?.current()) ?? pairOf(this.credentials);
    let bearer = this.tokens === undefined ? token : (await this.tokens.current()).trim();
    if (this.plugin !== undefined) {
      const brought = await this.plugin.credentials();
      bearer = brought.token ?? token;
      pair = pairOf(brought) ?? pair;
    }
    this.last = this.shown(bearer, pair);
    return this.last;
  }

  /** The server did not accept what was shown: it is read, or asked of the plugin, again before the next request. */
  rejected({ headers, certificate }: ShownCredentials): void {
    // Of many requests that are answered so only the first finds the credentials with which they were sent.
    const { last } = this;
    if (last?.headers.authorization !== headers.authorization || last?.certificate !== certificate) return;
    this.last = undefined;
    this.tokens?.expire();
    this.certificateFiles?.expire();
    this.plugin?.discard();
  }

  private shown(bearer: string | undefined, pair: CertificatePair | undefined): ShownCredentials {
    const { username, password = '' } = this.credentials;
    const headers: Record<string, string | readonly string[]> = { ...this.impersonated };
    if (bearer !== undefined) headers.authorization = `Bearer ${bearer}`;
    else if (username !== undefined) {
      headers.authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
    }
    checkHeaders(headers);
    return { headers, ...pair };
  }
}

function pairOf({ certificate, key }: Partial<CertificatePair>): CertificatePair | undefined {
  return certificate === undefined || key === undefined ? undefined : { certificate, key };
}

function certificateFilesOf(credentials: ClientCredentials, nowMs?: () => number): CertificateFiles | undefined {
  const { certificateFile, keyFile } = credentials;
  const pair = pairOf(credentials);
  if (certificateFile === undefined || keyFile === undefined || pair === undefined) return undefined;
  return new CertificateFiles(certificateFile, keyFile, pair, nowMs);
}

function impersonationHeaders(user: Impersonation | undefined): Record<string, string | readonly string[]> {
  if (user === undefined) return {};
  const headers: Record<string, string | readonly string[]> = { 'impersonate-user': user.name };
  if (user.uid !== undefined) headers['impersonate-uid'] = user.uid;
  if (user.groups !== undefined && user.groups.length > 0) headers['impersonate-group'] = user.groups;
  for (const [key, values] of Object.entries(user.extra ?? {})) {
    if (values.length > 0) headers[`impersonate-extra-${headerKey(key)}`] = values;
  }
  return headers;
}

/** Header names hold no other characters; the server decodes what is escaped. */
function headerKey(key: string): string {
  const escape = (character: string): string => `%${character.charCodeAt(0).toString(16)}`;
  return encodeURIComponent(key).replace(/[()]/g, escape).toLowerCase();
}

/**
 * Throws a `TypeError` for characters that no header may hold. HTTP/2 would leave such a header out, and a request
 * without its impersonated user runs as the user who impersonates.
 */
function checkHeaders(headers: Readonly<Record<string, string | readonly string[]>>): void {
  for (const [name, value] of Object.entries(headers)) {
    validateHeaderName(name);
    for (const text of typeof value === 'string' ? [value] : value) validateHeaderValue(name, text);
  }
}
