import assert from 'node:assert/strict';
import { knownTokens, presented } from './authentication-testing.ts';
import { InvalidCredentials } from './authenticator.ts';
import { websocketTokenAuthenticator } from './websocket-token.ts';

describe('websocketTokenAuthenticator', () => {
  const authenticator = websocketTokenAuthenticator(knownTokens({ t1: 'alice' }));
  const encoded = (token: string | Buffer) =>
    `base64url.bearer.authorization.k8s.io.${Buffer.from(token).toString('base64url')}`;
  const websocket = (...protocols: string[]) =>
    presented([['Upgrade', 'WebSocket'], ...protocols.map((p) => ['Sec-WebSocket-Protocol', p] as const)]);

  it('recognizes the token, and leaves the other subprotocols', async () => {
    for (const protocols of [[`${encoded('t1')}, v4.channel.k8s.io`], ['v4.channel.k8s.io', encoded('t1')]]) {
      const request = websocket(...protocols);
      assert.equal((await authenticator.authenticate(request))?.user.name, 'alice');
      assert.equal(request.headers['sec-websocket-protocol'], 'v4.channel.k8s.io');
    }
  });

  it('refuses bad tokens, several, and one without another subprotocol', async () => {
    const bad = [
      [encoded('t2'), 'p'],
      [encoded('t1')],
      [encoded('t1'), encoded('t1'), 'p'],
      ['base64url.bearer.authorization.k8s.io.!!', 'p'],
      ['base64url.bearer.authorization.k8s.io.', 'p'],
      [encoded(Buffer.from([0xff])), 'p'],
    ];
    for (const protocols of bad)
      await assert.rejects(
        async () => authenticator.authenticate(websocket(...protocols)),
        InvalidCredentials,
        protocols.join(),
      );
  });

  it('ignores other requests', async () => {
    assert.equal(await authenticator.authenticate(websocket('v4.channel.k8s.io')), undefined);
    assert.equal(
      await authenticator.authenticate(presented([['Sec-WebSocket-Protocol', `${encoded('t1')}, p`]])),
      undefined,
    );
  });
});
