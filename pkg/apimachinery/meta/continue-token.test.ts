import assert from 'node:assert/strict';
import fc from 'fast-check';
import { decodeContinue, encodeContinue, keyAfter } from './continue-token.ts';
import { StatusError } from '../errors/status-error.ts';

const PREFIX = '/registry/pods/';
const token = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

describe('continue tokens', () => {
  it('has the encoding of a stock server', () => {
    const text = encodeContinue({ revision: 5, startKey: keyAfter('/registry/pods/default/a') }, PREFIX);
    assert.equal(Buffer.from(text, 'base64url').toString(), '{"v":"meta.k8s.io/v1","rv":5,"start":"default/a\\u0000"}');
    assert.deepEqual(decodeContinue(text, PREFIX), { revision: 5, startKey: '/registry/pods/default/a\0' });
    const ofNamespace = encodeContinue(
      { revision: -1, startKey: keyAfter('/registry/pods/default/a') },
      `${PREFIX}default/`,
    );
    assert.equal(Buffer.from(ofNamespace, 'base64url').toString(), '{"v":"meta.k8s.io/v1","rv":-1,"start":"a\\u0000"}');
  });

  it('round-trips any key of names', () => {
    const name = fc.stringMatching(/^[a-z0-9][a-z0-9.:-]{0,20}$/);
    fc.assert(
      fc.property(fc.array(name, { minLength: 1, maxLength: 3 }), fc.integer({ min: 1 }), (names, revision) => {
        const startKey = keyAfter(PREFIX + names.join('/'));
        assert.deepEqual(decodeContinue(encodeContinue({ revision, startKey }, PREFIX), PREFIX), {
          revision,
          startKey,
        });
      }),
    );
  });

  it('encodes only keys below the prefix', () => {
    assert.throws(() => encodeContinue({ revision: 1, startKey: '/registry/secrets/a' }, PREFIX), /do not match/);
  });

  const valid = { v: 'meta.k8s.io/v1', rv: 1, start: 'a' };
  const faults: [string, string][] = [
    ['nonsense', "invalid character '\\u009e' looking for beginning of value"],
    ['!!', 'illegal base64 data at input byte 0'],
    ['abcde', 'illegal base64 data at input byte 4'],
    ['', 'unexpected end of JSON input'],
    [token('[]'), 'json: cannot unmarshal value into Go value of type storage.continueToken'],
    [token({ ...valid, rv: '1' }), 'json: cannot unmarshal value into Go struct field of storage.continueToken'],
    [token({ ...valid, v: 'v2' }), 'server does not recognize this encoded version v2'],
    [token({ ...valid, rv: 0 }), 'incorrect encoded start resourceVersion (version meta.k8s.io/v1)'],
    [token({ ...valid, start: '' }), 'encoded start key empty (version meta.k8s.io/v1)'],
    [token({ ...valid, start: '../secrets/a' }), '../secrets/a'],
    [token({ ...valid, start: 'a/../../b' }), 'a/../../b'],
    [token({ ...valid, start: 'a//b' }), 'a//b'],
    [token({ ...valid, start: 'a/' }), 'a/'],
    [token({ ...valid, start: '/' }), '/'],
  ];
  for (const [text, message] of faults) {
    it(`refuses ${text}`, () => {
      assert.throws(
        () => decodeContinue(text, PREFIX),
        (error) => {
          assert.ok(error instanceof StatusError);
          assert.deepEqual(
            [error.code, error.message],
            [400, `invalid continue token: continue key is not valid: ${message}`],
          );
          return true;
        },
      );
    });
  }

  it('takes a start with a leading slash and a negative revision', () => {
    assert.deepEqual(decodeContinue(token({ ...valid, start: '/a', rv: -1 }), PREFIX), {
      revision: -1,
      startKey: `${PREFIX}a`,
    });
  });
});
