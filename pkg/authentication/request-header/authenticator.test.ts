import assert from 'node:assert/strict';
import type { X509Certificate } from 'node:crypto';
import { presented } from '../authentication-testing.ts';
import { InvalidCredentials } from '../authenticator.ts';
import { requestHeaderAuthenticator } from './authenticator.ts';

describe('requestHeaderAuthenticator', () => {
  const proxy = { is: 'proxy' } as unknown as X509Certificate;
  const stranger = { is: 'stranger' } as unknown as X509Certificate;
  const open = (allowedNames: string[] = []) =>
    requestHeaderAuthenticator({
      usernameHeaders: ['X-Remote-User', 'X-User'],
      groupHeaders: ['X-Remote-Group', 'X-Group'],
      extraPrefixes: ['X-Remote-Extra-', 'X-Extra-'],
      allowedNames,
      verify(certificate) {
        if (certificate !== proxy) throw new InvalidCredentials('no authority signed it');
        return { commonName: 'front', organizations: [], fingerprint: '', notAfterMs: 0 };
      },
    });
  const headers = [
    ['X-Remote-User', 'alice'],
    ['X-User', 'bob'],
    ['X-Remote-Group', 'a,b'],
    ['X-Remote-Group', 'c'],
    ['X-Remote-Group', ''],
    ['X-Group', 'd'],
    ['X-Remote-Extra-Example.com%2Froles', 'r1'],
    ['X-Remote-Extra-Example.com%2Froles', 'r2'],
    ['X-Extra-scope%', 's'],
    ['X-Extra-__proto__', 'p'],
    ['Accept', '*/*'],
  ] as const;

  it('accepts a proxy: user, groups, extra', async () => {
    const request = presented(headers, proxy);
    const known = await open(['front', 'other']).authenticate(request);
    assert.deepEqual([known?.user.name, known?.user.groups], ['alice', ['a,b', 'c', 'd']]);
    assert.deepEqual(Object.entries(known?.user.extra ?? {}), [
      ['example.com/roles', ['r1', 'r2']],
      ['scope%', ['s']],
      ['__proto__', ['p']],
    ]);
    assert.deepEqual(request.headers, { accept: '*/*' });
  });

  it('takes the first name header with a value', async () => {
    assert.equal(
      (
        await open().authenticate(
          presented(
            [
              ['X-Remote-User', ''],
              ['X-User', 'bob'],
            ],
            proxy,
          ),
        )
      )?.user.name,
      'bob',
    );
    assert.equal(await open().authenticate(presented([['X-Remote-Group', 'system:masters']], proxy)), undefined);
  });

  it('accepts no other client', async () => {
    const request = presented(headers);
    assert.equal(await open().authenticate(request), undefined);
    assert.throws(() => open().authenticate(presented(headers, stranger)), InvalidCredentials);
    assert.throws(() => open(['other']).authenticate(presented(headers, proxy)), InvalidCredentials);
  });
});
