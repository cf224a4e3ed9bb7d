import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { apiServerOptions } from '../options/api-server-options.ts';
import { parseOptions } from '../options/parse-options.ts';
import { readAuthenticationConfig } from './authentication-config.ts';
import { InvalidCredentials } from './authenticator.ts';
import { oidcAuthenticator } from './oidc/authenticator.ts';
import { rsaKey, TestIssuer } from './oidc/issuer-testing.ts';

describe('the OpenID issuer that options name', () => {
  const [usual, other] = [rsaKey('usual'), rsaKey('other', 'RS512')];
  const now = Date.now();
  let dir: string;
  let issuer: TestIssuer;

  before(async () => {
    dir = mkdtempSync(path.join(tmpdir(), 'binnacle-build-oidc-'));
    issuer = await TestIssuer.start([usual, other]);
    writeFileSync(path.join(dir, 'ca.pem'), issuer.service.ca);
  });
  after(async () => {
    await issuer.close();
    rmSync(dir, { recursive: true, force: true });
  });

  function build(...args: string[]) {
    const options = parseOptions(apiServerOptions, 'up', ['--storage-backend=embedded', `--data-dir=${dir}`, ...args]);
    const { oidc } = readAuthenticationConfig(options);
    return oidc === undefined ? undefined : oidcAuthenticator({ ...oidc, nowMs: () => now });
  }

  it('makes none without an issuer', () => {
    assert.equal(build(), undefined);
  });

  it('takes RS256 where no algorithm is named', async () => {
    const withIssuer = [
      `--oidc-issuer-url=${issuer.url}`,
      '--oidc-client-id=kube',
      `--oidc-ca-file=${path.join(dir, 'ca.pem')}`,
    ];
    for (const args of [withIssuer, [...withIssuer, '--oidc-signing-algs=']]) {
      const tokens = build(...args)!;
      assert.equal((await tokens.authenticateToken(issuer.token({}, now, usual), []))?.user.name, `${issuer.url}#jane`);
      await assert.rejects(async () => tokens.authenticateToken(issuer.token({}, now, other), []), InvalidCredentials);
    }
  });
});
