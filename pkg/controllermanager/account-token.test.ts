import assert from 'node:assert/strict';
import { serviceAccounts } from '../api/core/tokens.ts';
import { notFound } from '../apimachinery/errors/status-error.ts';
import type { Client } from '../client/rest/client.ts';
import { AccountToken } from './account-token.ts';

describe('AccountToken', () => {
  it('makes the account where it is missing, once, and gives its token', async () => {
    const calls: string[] = [];
    let exists = false;
    const client: Pick<Client, 'create' | 'subresource'> = {
      create: (resource, object) => {
        assert.equal(resource, serviceAccounts);
        calls.push(`create ${object.metadata.namespace}/${object.metadata.name}`);
        exists = true;
        return Promise.resolve(object);
      },
      subresource: <R>(_resource: unknown, { name }: { name: string }): Promise<R> => {
        calls.push(`token of ${name}`);
        if (!exists) return Promise.reject(notFound({ group: '', resource: 'serviceaccounts' }, name));
        return Promise.resolve({ spec: { expirationSeconds: 3600 }, status: { token: 'secret' } } as R);
      },
    };
    const token = new AccountToken(client as Client, { namespace: 'kube-system', name: 'job-controller' });
    assert.deepEqual([await token.current(), await token.current()], ['secret', 'secret']);
    assert.deepEqual(calls, [
      'token of job-controller',
      'create kube-system/job-controller',
      'token of job-controller',
    ]);
  });
});
