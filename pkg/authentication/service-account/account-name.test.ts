import assert from 'node:assert/strict';
import { parseServiceAccountUsername, serviceAccountUser, serviceAccountUsername } from './account-name.ts';

describe('names of service accounts', () => {
  it('are parsed as they are written', () => {
    assert.equal(serviceAccountUsername({ namespace: 'a', name: 'b.c' }), 'system:serviceaccount:a:b.c');
    assert.deepEqual(parseServiceAccountUsername('system:serviceaccount:a:b.c'), { namespace: 'a', name: 'b.c' });
    for (const text of [
      'a',
      'system:serviceaccount:a',
      'system:serviceaccount:a:',
      'system:serviceaccount::b',
      'system:serviceaccount:a:b:c',
      'system:serviceaccount:A:b',
      'system:serviceaccount:a:../x',
      'System:serviceaccount:a:b',
    ]) {
      assert.equal(parseServiceAccountUsername(text), undefined, text);
    }
  });

  it('come with their groups, and the fields of a bound token', () => {
    assert.deepEqual(
      serviceAccountUser(
        { namespace: 'a', name: 'b', uid: 'u' },
        { pod: { name: 'p', uid: 'v' }, node: { name: 'n' }, credentialId: 'JTI=i' },
      ),
      {
        name: 'system:serviceaccount:a:b',
        uid: 'u',
        groups: ['system:serviceaccounts', 'system:serviceaccounts:a'],
        extra: {
          'authentication.kubernetes.io/credential-id': ['JTI=i'],
          'authentication.kubernetes.io/node-name': ['n'],
          'authentication.kubernetes.io/pod-name': ['p'],
          'authentication.kubernetes.io/pod-uid': ['v'],
        },
      },
    );
  });
});
