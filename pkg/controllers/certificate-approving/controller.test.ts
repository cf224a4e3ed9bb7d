import assert from 'node:assert/strict';
import { subjectAccessReviews } from '../../api/authorization/tokens.ts';
import { certificateSigningRequests } from '../../api/certificates/tokens.ts';
import type { SubjectAccessReview, SubjectAccessReviewSpec } from '../../generated/types/authorization-v1.ts';
import type { CertificateSigningRequest } from '../../generated/types/certificates-v1.ts';
import { certificateRequest } from '../../net/certificates-testing.ts';
import { reconcile } from './reconcile.ts';
import { certificateApprovingController } from './controller.ts';
import { ControllersFixture } from '../controllers-testing.ts';
import type { ControllersConfig } from '../controllers-config.ts';

const NOW = '2026-01-02T03:04:05Z';

describe('the certificate approving controller', () => {
  let node: string;
  let other: string;
  before(async () => {
    node = (await certificateRequest('O=system:nodes,CN=system:node:n')).base64;
    other = (await certificateRequest('O=staff,CN=jane')).base64;
  });

  const object = (
    request: string,
    spec: Partial<CertificateSigningRequest['spec']> = {},
    status: CertificateSigningRequest['status'] = {},
  ): CertificateSigningRequest => ({
    metadata: { name: 'one', creationTimestamp: '2026-01-02T03:04:00Z' },
    spec: {
      request,
      signerName: 'kubernetes.io/kube-apiserver-client-kubelet',
      usages: ['digital signature', 'client auth'],
      username: 'joiner',
      uid: 'u',
      groups: ['joiners'],
      extra: { a: ['b'] },
      ...spec,
    },
    status,
  });
  const run = async (
    wanted: CertificateSigningRequest,
    allowed: readonly string[],
  ): Promise<{
    asked: SubjectAccessReviewSpec[];
    approved: CertificateSigningRequest[];
    again: number | undefined;
  }> => {
    const asked: SubjectAccessReviewSpec[] = [];
    const approved: CertificateSigningRequest[] = [];
    const again = await reconcile(wanted, {
      isAllowed: async (spec) => allowed.includes(spec.resourceAttributes!.subresource!) && asked.push(spec) > 0,
      approve: async (one) => void approved.push(one),
      nowMs: Date.parse(NOW),
      now: NOW,
    });
    return { asked, approved, again };
  };

  it('approves a node that its requester may have', async () => {
    const { asked, approved, again } = await run(object(node), ['nodeclient']);
    assert.deepEqual(
      approved.map(({ status }) => status.conditions),
      [
        [
          {
            type: 'Approved',
            status: 'True',
            reason: 'AutoApproved',
            message: 'Auto approving kubelet client certificate after SubjectAccessReview.',
            lastUpdateTime: NOW,
            lastTransitionTime: NOW,
          },
        ],
      ],
    );
    const { resourceAttributes, ...who } = asked[0]!;
    assert.deepEqual(who, { user: 'joiner', uid: 'u', groups: ['joiners'], extra: { a: ['b'] } });
    assert.deepEqual(resourceAttributes, {
      group: 'certificates.k8s.io',
      version: '*',
      resource: 'certificatesigningrequests',
      subresource: 'nodeclient',
      verb: 'create',
    });
    assert.equal(again, undefined);
  });

  it('takes the right of a node to its own certificate only for its own name', async () => {
    const own = await run(object(node, { username: 'system:node:n' }), ['selfnodeclient', 'nodeclient']);
    assert.match(own.approved[0]!.status.conditions![0]!.message!, /^Auto approving self kubelet/);
    assert.equal((await run(object(node), ['selfnodeclient'])).approved.length, 0);
  });

  it('looks again where the right is missing, later and later', async () => {
    assert.deepEqual(await run(object(node), []), { asked: [], approved: [], again: 5000 });
  });

  for (const [what, make] of [
    ['another signer', () => object(node, { signerName: 'kubernetes.io/kube-apiserver-client' })],
    ['other usages', () => object(node, { usages: ['server auth'] })],
    ['a subject that is no node', () => object(other)],
    [
      'a request that is denied',
      () =>
        object(
          node,
          {},
          { conditions: [{ type: 'Denied', status: 'True', lastUpdateTime: null, lastTransitionTime: null }] },
        ),
    ],
    ['a request with a certificate', () => object(node, {}, { certificate: 'x' })],
  ] as const) {
    it(`leaves ${what}`, async () => {
      const all = ['selfnodeclient', 'nodeclient'];
      assert.deepEqual(await run(make(), all), { asked: [], approved: [], again: undefined });
    });
  }

  it('asks the server by reviews and writes the approval', async () => {
    const fixture = new ControllersFixture();
    const { client } = fixture;
    // A fake cluster has no authorizer: who asks twice is allowed.
    let reviews = 0;
    const create = client.create.bind(client);
    client.create = (async (resource: never, body: SubjectAccessReview) =>
      (resource as unknown) === subjectAccessReviews
        ? { ...body, status: { allowed: ++reviews > 1 } }
        : create(resource, body as never)) as never;
    await fixture.start(certificateApprovingController.create(fixture.context, {} as ControllersConfig)!);
    const { metadata, ...rest } = object(node);
    await client.create(certificateSigningRequests, { ...rest, metadata: { name: metadata.name! } });
    await fixture.clock.advance(10_000);
    const { status } = await client.get(certificateSigningRequests, { name: 'one' });
    await fixture.stop();
    assert.deepEqual([status.conditions?.map(({ type }) => type), reviews, fixture.errors], [['Approved'], 2, []]);
  });
});
