import assert from 'node:assert/strict';
import { authorizerOf } from '../authorizer-testing.ts';
import { refusalOf, requestFor } from '../plugin-testing.ts';
import { certificateSigningPlugin } from './plugin.ts';

describe('CertificateSigning', () => {
  const request = (status: object, labels = {}) => ({
    metadata: { name: 'c', labels },
    spec: { signerName: 'example.com/s' },
    status,
  });
  const refused = (allowed: readonly string[], status: object, overrides = {}) =>
    refusalOf(
      certificateSigningPlugin(authorizerOf(({ verb, name }) => verb === 'sign' && allowed.includes(name))),
      requestFor('certificatesigningrequests.certificates.k8s.io', request(status), {
        operation: 'UPDATE',
        subresource: 'status',
        oldObject: request({ conditions: [{ type: 'Approved' }] }) as never,
        ...overrides,
      }),
    );
  const signed = { conditions: [{ type: 'Approved' }], certificate: 'YQ==' };
  const words =
    '403 certificatesigningrequests.certificates.k8s.io "c" is forbidden: user not permitted to sign requests with signerName "example.com/s"';

  it('admits signers', async () => {
    assert.equal(await refused(['example.com/s'], signed), undefined);
    assert.equal(await refused(['example.com/*'], signed), undefined);
  });

  it('refuses a certificate or condition from other users', async () => {
    assert.equal(await refused([], signed), words);
    assert.equal(await refused(['other.com/*'], { conditions: [{ type: 'Approved' }, { type: 'Failed' }] }), words);
  });

  it('lets changes of anything else pass, and other paths', async () => {
    assert.equal(await refused([], { conditions: [{ type: 'Approved' }] }), undefined);
    assert.equal(await refused([], signed, { subresource: 'approval' }), undefined);
  });
});
