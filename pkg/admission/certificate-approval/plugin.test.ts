import assert from 'node:assert/strict';
import { authorizerOf } from '../authorizer-testing.ts';
import { refusalOf, requestFor } from '../plugin-testing.ts';
import { certificateApprovalPlugin } from './plugin.ts';

describe('CertificateApproval', () => {
  const request = (signerName: string) => ({ metadata: { name: 'c' }, spec: { signerName }, status: {} });
  const refused = (allowed: readonly string[], overrides = {}) =>
    refusalOf(
      certificateApprovalPlugin(
        authorizerOf(
          ({ verb, resource, name }) => verb === 'approve' && resource === 'signers' && allowed.includes(name),
        ),
      ),
      requestFor('certificatesigningrequests.certificates.k8s.io', request('mine.com/s'), {
        operation: 'UPDATE',
        subresource: 'approval',
        oldObject: request('example.com/s'),
        ...overrides,
      }),
    );

  it('admits users who may approve for the signer or for all of its domain', async () => {
    assert.equal(await refused(['example.com/s']), undefined);
    assert.equal(await refused(['example.com/*']), undefined);
  });

  it('refuses others, for any signer in their change', async () => {
    const words =
      '403 certificatesigningrequests.certificates.k8s.io "c" is forbidden: user not permitted to approve requests with signerName "example.com/s"';
    assert.equal(await refused([]), words);
    assert.equal(await refused(['mine.com/s', 'mine.com/*', '*']), words);
  });

  it('checks approvals only', async () => {
    assert.equal(await refused([], { subresource: 'status' }), undefined);
    assert.equal(await refused([], { operation: 'CREATE', subresource: '', oldObject: undefined }), undefined);
  });
});
