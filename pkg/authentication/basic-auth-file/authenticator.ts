import { isUtf8 } from 'node:buffer';
import { InvalidCredentials, type RequestAuthenticator } from '../authenticator.ts';
import { equalInConstantTime } from '../constant-time.ts';
import type { CredentialsRecord } from '../credentials-file.ts';

/** The challenge of a server with passwords to unauthenticated requests (RFC 7617), as stock servers send it. */
export const BASIC_CHALLENGE = 'Basic realm="kubernetes-master"';

/**
 * User names and passwords that stand in a file: `password,user,uid[,"group1,group2"]` lines. Of a name that stands
 * there twice the last line counts.
 */
export function basicAuthFileAuthenticator(lines: readonly CredentialsRecord[]): RequestAuthenticator {
  const records = new Map<string, CredentialsRecord>(lines.map((record) => [record.user.name, record]));
  return {
    name: 'BasicAuthFile',
    authenticate(credentials) {
      const shown = readBasicAuth(credentials.headers.authorization ?? '');
      if (shown === undefined) return undefined;
      const record = records.get(shown.name);
      // An unknown name takes as long as a wrong password.
      const matches = equalInConstantTime(record?.secret ?? '', shown.password);
      if (record === undefined || !matches) throw new InvalidCredentials('unknown user name or wrong password');
      credentials.removeHeader('authorization');
      return { user: record.user };
    },
  };
}

function readBasicAuth(header: string): { readonly name: string; readonly password: string } | undefined {
  const encoded = /^basic +(\S*)$/i.exec(header)?.[1];
  if (encoded === undefined) return undefined;
  const bytes = Buffer.from(encoded, 'base64');
  const text = isUtf8(bytes) ? bytes.toString('utf8') : '';
  const colon = text.indexOf(':');
  if (colon < 0) throw new InvalidCredentials('the basic credentials are no base64 of a name and a password');
  return { name: text.slice(0, colon), password: text.slice(colon + 1) };
}
