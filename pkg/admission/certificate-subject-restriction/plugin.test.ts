import assert from 'node:assert/strict';
import { certificateRequest } from '../../net/certificates-testing.ts';
import { refusalOf, requestFor } from '../plugin-testing.ts';
import { certificateSubjectRestrictionPlugin } from './plugin.ts';

describe('CertificateSubjectRestriction', () => {
  const client = 'kubernetes.io/kube-apiserver-client';
  const pem = async (subject: string): Promise<string> => (await certificateRequest(subject)).pem;
  const refused = (signerName: string, text: string, overrides = {}) =>
    refusalOf(
      certificateSubjectRestrictionPlugin(),
      requestFor(
        'certificatesigningrequests.certificates.k8s.io',
        { metadata: { name: 'c' }, spec: { signerName, request: Buffer.from(text).toString('base64') } },
        overrides,
      ),
    );

  it('admits other groups, and other signers', async () => {
    assert.equal(await refused(client, await pem('CN=a, O=group, O=system:masters2')), undefined);
    assert.equal(await refused('example.com/s', await pem('CN=a, O=system:masters')), undefined);
  });

  it('refuses masters among the groups', async () => {
    const words = `403 certificatesigningrequests.certificates.k8s.io "c" is forbidden: use of ${client} signer with system:masters group is not allowed`;
    assert.equal(await refused(client, await pem('CN=a, O=system:masters')), words);
    assert.equal(await refused(client, await pem('CN=a, O=group, O=system:masters')), words);
  });

  it('refuses what it cannot parse', async () => {
    assert.equal(
      await refused(client, 'nope'),
      '403 certificatesigningrequests.certificates.k8s.io "c" is forbidden: failed to parse CSR: PEM block type must be CERTIFICATE REQUEST',
    );
  });

  it('checks new requests only', async () => {
    assert.equal(await refused(client, 'nope', { operation: 'UPDATE', subresource: 'status' }), undefined);
  });
});
