/** Certificates that a cluster of one program signs, and who they make of their holder. */
import assert from 'node:assert/strict';
import { createPrivateKey, webcrypto, X509Certificate } from 'node:crypto';
import 'reflect-metadata';
import * as x509 from '@peculiar/x509';
import { selfSubjectReviews } from '../../../pkg/api/authentication/tokens.ts';
import { certificateSigningRequests } from '../../../pkg/api/certificates/tokens.ts';
import { RestClient } from '../../../pkg/client/rest/rest-client.ts';
import { startControlPlane, type ControlPlane } from '../../../pkg/library/index.ts';
import { until } from '../../fixtures/until.ts';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

interface Issued {
  readonly certificate: string;
  readonly privateKey: string;
}

describe('certificates of a cluster of one program', function () {
  this.timeout(60_000);
  let plane: ControlPlane;
  let admin: RestClient;
  before(async () => {
    plane = await startControlPlane({ nodes: 1 });
    const [{ user }] = plane.kubeconfig.users as [(typeof plane.kubeconfig.users)[number]];
    admin = clientWith({ token: user.token });
  });
  after(async () => {
    admin.close();
    await plane.stop();
  });

  function clientWith(credentials: object): RestClient {
    const [{ cluster }] = plane.kubeconfig.clusters as [(typeof plane.kubeconfig.clusters)[number]];
    return new RestClient({
      server: new URL(cluster.server),
      ca: Buffer.from(cluster['certificate-authority-data'], 'base64').toString(),
      credentials,
    });
  }

  async function issue(name: string, signerName: string, usages: string[], host?: string): Promise<Issued> {
    const keys = (await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])) as webcrypto.CryptoKeyPair;
    const request = await x509.Pkcs10CertificateRequestGenerator.create({
      name,
      keys,
      signingAlgorithm: algorithm,
      extensions: host === undefined ? [] : [new x509.SubjectAlternativeNameExtension([{ type: 'dns', value: host }])],
    });
    const { metadata } = await admin.create(certificateSigningRequests, {
      metadata: { generateName: 'request-' },
      spec: { request: Buffer.from(request.toString('pem')).toString('base64'), signerName, usages },
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
    const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey));
    const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
    return {
      certificate: Buffer.from(await read(), 'base64').toString(),
      privateKey: String(key.export({ type: 'pkcs8', format: 'pem' })),
    };
  }

  it('name their holder to the server', async () => {
    const { certificate, privateKey } = await issue('O=staff,CN=jane', 'kubernetes.io/kube-apiserver-client', [
      'client auth',
    ]);
    const jane = clientWith({ certificate, key: privateKey });
    const review = await jane.create(selfSubjectReviews, { metadata: {}, status: { userInfo: {} } });
    assert.equal(review.status.userInfo.username, 'jane');
    assert.ok(review.status.userInfo.groups?.includes('staff'));
    jane.close();
  });

  it('of servers come from another authority, which no client is believed by', async () => {
    const { certificate, privateKey } = await issue(
      'O=system:nodes,CN=system:node:one',
      'kubernetes.io/kubelet-serving',
      ['digital signature', 'server auth'],
      'one',
    );
    assert.equal(new X509Certificate(certificate).issuer, 'CN=binnacle-ca');
    const node = clientWith({ certificate, key: privateKey });
    await assert.rejects(node.create(selfSubjectReviews, { metadata: {}, status: { userInfo: {} } }), /Unauthorized/);
    node.close();
  });
});
