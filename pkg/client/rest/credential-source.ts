import { readFile } from 'node:fs/promises';
import { validateHeaderName, validateHeaderValue } from 'node:http';
import { steadyMs } from '../../apimachinery/steady-clock.ts';
import type { ClientCredentials, Impersonation } from '../client-credentials.ts';
import type { ExecPlugin } from './exec-plugin.ts';

/** What a request shows of its user. */
export interface ShownCredentials {
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** PEM; the same strings as long as they have not changed. */
  readonly certificate?: string;
  readonly key?: string;
}

/** The file is read again after this long: whoever mounts it renews it well before the token ends. */
const TOKEN_FILE_MS = 60_000;

/** The credentials of one user at the time of each request. */
export class CredentialSource {
  private readonly credentials: ClientCredentials;
  private readonly fixed: ShownCredentials | undefined;
  private readonly impersonated: Readonly<Record<string, string | readonly string[]>>;
  private readonly plugin: ExecPlugin | undefined;
  private fileToken: { value: string; readMs: number } | undefined;

  constructor(credentials: ClientCredentials, plugin: ExecPlugin | undefined) {
    this.credentials = credentials;
    this.plugin = plugin;
    this.impersonated = impersonationHeaders(credentials.impersonate);
    if (plugin === undefined && credentials.tokenFile === undefined) this.fixed = this.shown(credentials.token);
  }

  async current(): Promise<ShownCredentials> {
    if (this.fixed !== undefined) return this.fixed;
    if (this.credentials.tokenFile !== undefined) return this.shown(await this.tokenOf(this.credentials.tokenFile));
    const { token, certificate, key } = await this.plugin!.credentials();
    const shown = this.shown(token ?? this.credentials.token);
    return certificate === undefined ? shown : { ...shown, certificate, key };
  }

  /** The server did not accept what was shown. */
  rejected(): void {
    this.fileToken = undefined;
    this.plugin?.discard();
  }

  private shown(bearer: string | undefined): ShownCredentials {
    const { username, password = '', certificate, key } = this.credentials;
    const headers: Record<string, string | readonly string[]> = { ...this.impersonated };
    if (bearer !== undefined) headers.authorization = `Bearer ${bearer}`;
    else if (username !== undefined) {
      headers.authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
    }
    checkHeaders(headers);
    return certificate === undefined ? { headers } : { headers, certificate, key };
  }

  private async tokenOf(file: string): Promise<string> {
    if (this.fileToken === undefined || steadyMs() - this.fileToken.readMs >= TOKEN_FILE_MS) {
      this.fileToken = { value: (await readFile(file, 'utf8')).trim(), readMs: steadyMs() };
    }
    return this.fileToken.value;
  }
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
