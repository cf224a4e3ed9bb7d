import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { certificateSigningRequests } from '../../../../pkg/api/certificates/tokens.ts';
import { certificateApprovingController } from '../../../../pkg/controllers/certificate-approving/controller.ts';
import { certificateCleanerController } from '../../../../pkg/controllers/certificate-cleaner/controller.ts';
import { certificateSigningController } from '../../../../pkg/controllers/certificate-signing/controller.ts';
import type { ControllersConfig } from '../../../../pkg/controllers/controllers-config.ts';
import type { CertificateSigningRequest } from '../../../../pkg/generated/types/certificates-v1.ts';
import { certificateRequest, TestAuthority } from '../../../../pkg/net/certificates-testing.ts';
import { until } from '../../../fixtures/until.ts';
import type { ControllerSuite } from '../controller-suite.ts';

const NODE_CLIENT = 'kubernetes.io/kube-apiserver-client-kubelet';

export const certificateRequests: ControllerSuite = {
  name: 'certificate requests',
  define(host) {
    let count = 0;
    const configOf = ({ pem, keyPem }: TestAuthority): ControllersConfig =>
      ({
        signing: {
          durationMs: 3600_000,
          authorities: new Map([[NODE_CLIENT, () => ({ certificate: pem, privateKey: keyPem })]]),
        },
      }) as unknown as ControllersConfig;
    /** Creates a request of a user who may have what it asks for, and returns its name. */
    const request = async (subject: string): Promise<string> => {
      const name = `request-${++count}`;
      const user = { name: 'joiner', groups: ['system:authenticated', 'system:masters'] };
      await host.server.running.localClient(user).create(certificateSigningRequests, {
        metadata: { name },
        spec: {
          request: (await certificateRequest(subject)).base64,
          signerName: NODE_CLIENT,
          usages: ['digital signature', 'client auth'],
        },
        status: {},
      });
      return name;
    };
    const read = (name: string): Promise<CertificateSigningRequest> =>
      host.client.get(certificateSigningRequests, { name });
    after(async () => {
      for (const { metadata } of (await host.client.list(certificateSigningRequests)).items)
        await host.client.delete(certificateSigningRequests, { name: metadata.name! });
    });

    it('of nodes are approved where the requester may have them, and signed', async () => {
      const authority = await TestAuthority.create('CN=nodes');
      await host.start((context) => certificateApprovingController.create(context, configOf(authority))!);
      await host.start((context) => certificateSigningController.create(context, configOf(authority))!);
      const name = await request('O=system:nodes,CN=system:node:worker');
      await until(async () => Boolean((await read(name)).status.certificate), 'a certificate');
      const { status } = await read(name);
      assert.deepEqual(
        status.conditions?.map(({ type, reason }) => [type, reason]),
        [['Approved', 'AutoApproved']],
      );
      const certificate = new X509Certificate(Buffer.from(status.certificate!, 'base64'));
      assert.equal(certificate.subject, 'O=system:nodes\nCN=system:node:worker');
      assert.ok(certificate.verify(new X509Certificate(authority.pem).publicKey));
    });

    it('that were denied long ago are deleted, and those that wait for their signer are not', async () => {
      const decided = async (type: string): Promise<string> => {
        const name = await request('O=system:nodes,CN=system:node:worker');
        const at = new Date(Date.now() - 2 * 3600_000).toISOString();
        const condition = { type, status: 'True', lastUpdateTime: at, lastTransitionTime: at };
        const object = await read(name);
        const changed = { ...object, status: { conditions: [condition] } };
        await host.client.update(certificateSigningRequests, changed, { subresource: 'approval' });
        return name;
      };
      const [denied, approved] = [await decided('Denied'), await decided('Approved')];
      await host.start((context) => certificateCleanerController.create(context, {} as ControllersConfig)!);
      const names = async (): Promise<(string | undefined)[]> =>
        (await host.client.list(certificateSigningRequests)).items.map(({ metadata }) => metadata.name);
      await until(async () => !(await names()).includes(denied), 'the end of a denied request');
      assert.ok((await names()).includes(approved));
    });

    it('that break the rules of their signer fail when they are approved', async () => {
      const authority = await TestAuthority.create('CN=nodes');
      await host.start((context) => certificateSigningController.create(context, configOf(authority))!);
      const name = await request('O=staff,CN=jane');
      const now = new Date().toISOString();
      const approved = { type: 'Approved', status: 'True', lastUpdateTime: now, lastTransitionTime: now };
      const object = await read(name);
      await host.client.update(
        certificateSigningRequests,
        { ...object, status: { conditions: [approved] } },
        { subresource: 'approval' },
      );
      await until(async () => (await read(name)).status.conditions?.length === 2, 'a second condition');
      const [, failed] = (await read(name)).status.conditions!;
      assert.deepEqual(
        [failed?.type, failed?.reason, failed?.message],
        ['Failed', 'SignerValidationFailure', 'subject organization is not system:nodes'],
      );
    });
  },
};
