import { isUtf8 } from 'node:buffer';
import { InvalidCredentials, type RequestAuthenticator, type TokenAuthenticator } from './authenticator.ts';

export const SUBPROTOCOL_HEADER = 'sec-websocket-protocol';
const PROTOCOL_PREFIX = 'base64url.bearer.authorization.k8s.io.';

/** Whether a subprotocol is a bearer token. */
export function isTokenProtocol(protocol: string): boolean {
  return protocol.startsWith(PROTOCOL_PREFIX);
}

/** The subprotocols of a header's values. */
export function subprotocols(values: readonly string[]): string[] {
  return values
    .join(',')
    .split(',')
    .map((protocol) => protocol.trim());
}

/**
 * Checks a bearer token that comes as a subprotocol of a WebSocket, the one place where browsers can put one. Another
 * subprotocol must come with it, since one of them is answered and it must not be the token.
 */
export function websocketTokenAuthenticator(tokens: TokenAuthenticator): RequestAuthenticator {
  return {
    name: 'WebSocketToken',
    async authenticate(credentials) {
      const { headers } = credentials;
      if (headers.upgrade?.toLowerCase() !== 'websocket') return undefined;
      const protocols = subprotocols(credentials.headerValues(SUBPROTOCOL_HEADER));
      const [first, second] = protocols.filter(isTokenProtocol);
      if (first === undefined) return undefined;
      if (second !== undefined) throw new InvalidCredentials('more than one subprotocol is a token');
      const others = protocols.filter((protocol) => protocol !== first && protocol !== '');
      if (others.length === 0) throw new InvalidCredentials('no other subprotocol stands beside the token');
      const known = await tokens.authenticateToken(decode(first.slice(PROTOCOL_PREFIX.length)), []);
      if (known === undefined) throw new InvalidCredentials('unknown token in the subprotocol');
      credentials.replaceHeader(SUBPROTOCOL_HEADER, others.join(', '));
      return known;
    },
  };
}

function decode(text: string): string {
  const bytes = Buffer.from(text, 'base64url');
  if (!/^[A-Za-z0-9_-]+$/.test(text) || !isUtf8(bytes))
    throw new InvalidCredentials('the token of the subprotocol is no base64url of a text');
  return bytes.toString('utf8');
}
