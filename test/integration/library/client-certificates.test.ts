/** Certificates that a cluster of one program signs, and who they make of their holder. */
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { selfSubjectReviews } from '../../../pkg/api/authentication/tokens.ts';
import { certificateSigningRequests } from '../../../pkg/api/certificates/tokens.ts';
import type { ClientCredentials } from '../../../pkg/client/client-credentials.ts';
import type { RestClient } from '../../../pkg/client/rest/rest-client.ts';
import { startControlPlane, type ControlPlane } from '../../../pkg/library/index.ts';
import { certificateRequest } from '../../../pkg/net/certificates-testing.ts';
import { until } from '../../fixtures/until.ts';
import { clientOf } from './library-clusters.ts';

describe('certificates of a cluster of one program', function () {
  this.timeout(60_000);
  let plane: ControlPlane;
  let admin: RestClient;
  before(async () => {
    plane = await startControlPlane({ nodes: 1 });
    admin = clientOf(plane);
  });
  after(async () => {
    admin.close();
    await plane.stop();
  });

  async function issue(
    subject: string,
    signerName: string,
    usages: string[],
    hosts?: readonly string[],
  ): Promise<Required<Pick<ClientCredentials, 'certificate' | 'key'>>> {
    const request = await certificateRequest(subject, hosts);
    const { metadata } = await admin.create(certificateSigningRequests, {
      metadata: { generateName: 'request-' },
      spec: { request: request.base64, signerName, usages },
      status: {},
    });
    const made = { name: metadata.name! };
    const now = new Date().toISOString();
    const condition = { type: 'Approved', status: 'True', lastUpdateTime: now, lastTransitionTime: now };
    const object = await admin.get(certificateSigningRequests, made);
    const approved = { ...object, status: { conditions: [condition] } };
    await admin.update(certificateSigningRequests, approved, { subresource: 'approval' });
    const read = async (): Promise<string> =>
      (await admin.get(certificateSigningRequests, made)).status.certificate ?? '';
    await until(async () => (await read()) !== '', 'a certificate');
    return { certificate: Buffer.from(await read(), 'base64').toString(), key: request.keyPem };
  }

  it('name their holder to the server', async () => {
    const issued = await issue('O=staff,CN=jane', 'kubernetes.io/kube-apiserver-client', ['client auth']);
    const jane = clientOf(plane, issued);
    const review = await jane.create(selfSubjectReviews, { metadata: {}, status: { userInfo: {} } });
    assert.equal(review.status.userInfo.username, 'jane');
    assert.ok(review.status.userInfo.groups?.includes('staff'));
    jane.close();
  });

  it('of servers come from another authority, which no client is believed by', async () => {
    const issued = await issue(
      'O=system:nodes,CN=system:node:one',
      'kubernetes.io/kubelet-serving',
      ['digital signature', 'server auth'],
      ['one'],
    );
    assert.equal(new X509Certificate(issued.certificate).issuer, 'CN=binnacle-ca');
    const node = clientOf(plane, issued);
    await assert.rejects(node.create(selfSubjectReviews, { metadata: {}, status: { userInfo: {} } }), /Unauthorized/);
    node.close();
  });
});
