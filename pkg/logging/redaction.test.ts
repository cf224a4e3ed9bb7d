import assert from 'node:assert/strict';
import { isSecretName, KnownSecrets, redactFields, redactText } from './redaction.ts';

const jwt = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJzeXN0ZW0ifQ.c2lnbmF0dXJl';

describe('redaction', () => {
  it('redacts tokens, keys and passwords in texts', () => {
    const cases: [text: string, secret: string][] = [
      [`sent ${jwt} to`, 'eyJ'],
      ['Authorization: Bearer abc', 'abc'],
      ['{"authorization":"Basic YTpi"}', 'YTpi'],
      ['bearer 0123456789abcdef!', '0123456789abcdef'],
      ['GET /x?access_token=s3cr3t&limit=5', 's3cr3t'],
      ['password: hunter22', 'hunter22'],
      ['"client_secret": "xyzzy1"', 'xyzzy1'],
      ['connect to https://root:toor@127.0.0.1:2379/x failed', 'toor'],
      ['-----BEGIN EC PRIVATE KEY-----\nMHcCAQ\n-----END EC PRIVATE KEY-----', 'MHcCAQ'],
      ['-----BEGIN PRIVATE KEY-----\nMHcCAQ cut', 'MHcCAQ'],
    ];
    for (const [text, secret] of cases) {
      const out = redactText(text);
      assert.ok(!out.includes(secret), out);
      assert.ok(out.includes('[redacted]'), out);
    }
  });

  it('leaves ordinary texts unchanged', () => {
    for (const text of [
      'bearer token is missing',
      'secrets "db" not found',
      'listening on https://127.0.0.1:6443',
      'Unexpected token < in JSON',
      '-----BEGIN CERTIFICATE-----\nMII\n-----END CERTIFICATE-----',
    ]) {
      assert.equal(redactText(text), text);
    }
  });

  it('keeps the text around a secret', () => {
    assert.equal(redactText('GET /x?access_token=s3cr3t&limit=5'), 'GET /x?access_token=[redacted]&limit=5');
    assert.equal(redactText('https://root:toor@host/x'), 'https://[redacted]@host/x');
  });

  it('is quick on long and hostile texts', () => {
    const started = performance.now();
    for (const text of [
      'authorization '.repeat(5000),
      'eyJ'.repeat(20_000),
      'a://'.repeat(20_000),
      'token'.repeat(20_000),
      '-----BEGIN PRIVATE KEY-----'.repeat(2000),
      'bearer '.repeat(9000),
      ' '.repeat(100_000),
    ])
      redactText(text);
    assert.ok(performance.now() - started < 500);
  });

  it('knows names of secrets in any spelling', () => {
    for (const name of [
      'Authorization',
      'set-cookie',
      'access_token',
      'clientSecret',
      'PASSWORD',
      'private-key',
      'API_KEY',
      'x-api-key',
      'tls.privateKey',
    ])
      assert.equal(isSecretName(name), true, name);
    for (const name of ['user', 'key', 'name', 'author', 'path']) assert.equal(isSecretName(name), false, name);
  });

  it('replaces the values of such fields at any depth and of any type', () => {
    const out = redactFields({
      user: 'jo',
      headers: { Authorization: 'Basic YTpi', accept: 'x' },
      list: [{ token: ['a', 'b'] }],
      password: 12345,
      secret: null,
      hasToken: true,
    });
    assert.deepEqual(out, {
      user: 'jo',
      headers: { Authorization: '[redacted]', accept: 'x' },
      list: [{ token: '[redacted]' }],
      password: '[redacted]',
      secret: null,
      hasToken: true,
    });
  });

  it('shows no data of Secret objects, nor bytes', () => {
    const out = redactFields({
      object: { kind: 'Secret', metadata: { name: 'db' }, data: { host: 'ZGI=' }, stringData: { host: 'db' } },
      config: { kind: 'ConfigMap', data: { host: 'db' } },
      value: new Uint8Array(3),
    });
    assert.deepEqual(out, {
      object: { kind: 'Secret', metadata: { name: 'db' }, data: '[redacted]', stringData: '[redacted]' },
      config: { kind: 'ConfigMap', data: { host: 'db' } },
      value: '3 bytes',
    });
  });

  it('shows errors with their causes, and no secrets in either', () => {
    const error = new Error('cannot log in: password=hunter22', {
      cause: Object.assign(new TypeError(`bad ${jwt}`), { code: 'EBAD', request: { body: 'x' } }),
    });
    const { error: shown } = redactFields({ error }) as {
      error: {
        type: string;
        message: string;
        stack: string;
        cause: { type: string; message: string; code: string; request?: unknown };
      };
    };
    assert.equal(shown.message, 'cannot log in: password=[redacted]');
    assert.equal(shown.type, 'Error');
    assert.match(shown.stack, /redaction\.test/);
    assert.deepEqual(
      [shown.cause.type, shown.cause.message, shown.cause.code, shown.cause.request],
      ['TypeError', 'bad [redacted]', 'EBAD', undefined],
    );
    assert.doesNotMatch(JSON.stringify(shown), /hunter22|eyJ/);
  });

  it('bounds depth, numbers and lengths, and ends on cycles', () => {
    const cycle: Record<string, unknown> = { name: 'a' };
    cycle['self'] = cycle;
    const out = JSON.stringify(
      redactFields({ cycle, many: Array.from({ length: 1000 }, (_, i) => i), long: 'x'.repeat(1e6) }),
    );
    assert.ok(out.length < 10_000, String(out.length));
  });

  it('keeps hostile names as names, and omits what JSON cannot express', () => {
    const out = redactFields({
      ...JSON.parse('{"__proto__":{"polluted":true}}'),
      big: 2n ** 64n,
      symbol: Symbol('s'),
      call: () => 1,
      when: new Date(Number.NaN),
    });
    assert.equal(
      JSON.stringify(out),
      '{"__proto__":{"polluted":true},"big":"18446744073709551616","when":"invalid date"}',
    );
    assert.equal(({} as { polluted?: boolean }).polluted, undefined);
  });

  it('replaces known secrets in their escaped form', () => {
    const secrets = new KnownSecrets();
    secrets.add('quo"te-and-more');
    assert.equal(secrets.redactLine(JSON.stringify({ msg: 'it is quo"te-and-more.' })), '{"msg":"it is [redacted]."}');
    secrets.add('');
    secrets.add('e');
    assert.equal(secrets.redactLine('{"level":"info"}'), '{"level":"info"}');
  });
});
