import assert from 'node:assert/strict';
import { cells, create, update } from '../../kind-testing.ts';
import { secret } from './secret.ts';

function body(rest: object, metadata: object = {}): object {
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's', ...metadata }, ...rest };
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');

describe('secrets', () => {
  it('is opaque by default and takes texts as bytes', () => {
    const created = create(
      secret,
      'v1',
      body({ data: { b: base64('old'), k: base64('v') }, stringData: { b: 'new', a: 'é' } }),
    );
    assert.deepEqual(created.texts, []);
    const served = created.as('v1');
    assert.deepEqual(served.data, { a: base64('é'), b: base64('new'), k: base64('v') });
    assert.equal(served.type, 'Opaque');
    assert.equal(served.stringData, undefined);
    assert.deepEqual(cells(secret, created.object), ['s', 'Opaque', 3, '0s']);
    assert.equal(secret.fieldLabels!.type!(created.object), 'Opaque');
  });

  const cases: [type: string, data: object, causes: string[]][] = [
    ['kubernetes.io/tls', {}, ['data[tls.crt]: Required value', 'data[tls.key]: Required value']],
    ['kubernetes.io/tls', { 'tls.crt': '', 'tls.key': '' }, []],
    ['kubernetes.io/basic-auth', {}, ['data[username]: Required value', 'data[password]: Required value']],
    ['kubernetes.io/basic-auth', { password: '' }, []],
    ['kubernetes.io/ssh-auth', { 'ssh-privatekey': '' }, ['data[ssh-privatekey]: Required value']],
    ['kubernetes.io/dockercfg', {}, ['data[.dockercfg]: Required value']],
    ['kubernetes.io/dockercfg', { '.dockercfg': base64('{"a":{}}') }, []],
    [
      'kubernetes.io/dockerconfigjson',
      { '.dockerconfigjson': base64('nope') },
      [
        "data[.dockerconfigjson]: Invalid value: \"<secret contents redacted>\": invalid character 'o' in literal null (expecting 'u')",
      ],
    ],
    [
      'kubernetes.io/dockerconfigjson',
      { '.dockerconfigjson': base64('[1]') },
      [
        'data[.dockerconfigjson]: Invalid value: "<secret contents redacted>": json: cannot unmarshal array into Go value of type map[string]interface {}',
      ],
    ],
    [
      'kubernetes.io/service-account-token',
      {},
      ['metadata.annotations[kubernetes.io/service-account.name]: Required value'],
    ],
    ['example.com/own', {}, []],
  ];
  for (const [type, data, causes] of cases) {
    it(`checks ${type} with keys ${Object.keys(data).join(', ') || 'none'}: ${causes.length} causes`, () => {
      assert.deepEqual(create(secret, 'v1', body({ type, data })).texts, causes);
    });
  }

  it('accepts a token for an account that is named', () => {
    const annotations = { 'kubernetes.io/service-account.name': 'default' };
    assert.deepEqual(
      create(secret, 'v1', body({ type: 'kubernetes.io/service-account-token' }, { annotations })).texts,
      [],
    );
  });

  it('holds at most a mebibyte', () => {
    assert.deepEqual(create(secret, 'v1', body({ stringData: { a: 'x'.repeat(1048577) } })).texts, [
      'data: Too long: must have at most 1048576 bytes',
    ]);
  });

  it('keeps its type, and its content when immutable', () => {
    const { object } = create(secret, 'v1', body({ immutable: true, stringData: { k: 'v' } }));
    object.metadata.resourceVersion = '1';
    assert.deepEqual(
      update(secret, 'v1', object, (o) => {
        o.type = 'x';
        o.stringData = { k: 'w' };
      }).texts,
      ['type: Invalid value: "x": field is immutable', 'data: Forbidden: field is immutable when `immutable` is set'],
    );
  });
});
