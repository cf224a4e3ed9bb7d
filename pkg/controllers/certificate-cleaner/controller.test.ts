import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { certificateSigningRequests } from '../../api/certificates/tokens.ts';
import { formatTime } from '../../apimachinery/values/time.ts';
import type { CertificateSigningRequest } from '../../generated/types/certificates-v1.ts';
import { TestAuthority } from '../../net/certificates-testing.ts';
import type { ControllersConfig } from '../controllers-config.ts';
import { ControllersFixture } from '../controllers-testing.ts';
import { certificateCleanerController } from './controller.ts';
import { deadlineMs } from './deadline.ts';

const HOUR_MS = 3600_000;
const AT = '2026-01-02T03:00:00Z';

describe('the certificate cleaner controller', () => {
  const object = (type: string | undefined, certificate?: string): CertificateSigningRequest => ({
    metadata: { name: 'one', creationTimestamp: AT },
    spec: { request: '', signerName: 'a/b' },
    status: {
      ...(type === undefined
        ? {}
        : { conditions: [{ type, status: 'True', lastUpdateTime: '2026-01-02T05:00:00Z', lastTransitionTime: null }] }),
      ...(certificate === undefined ? {} : { certificate }),
    },
  });
  for (const [what, made, hours] of [
    ['waits', object(undefined), 24],
    ['was approved and has no certificate', object('Approved'), undefined],
    ['was denied', object('Denied'), 3],
    ['failed', object('Failed'), 3],
    ['has a certificate that cannot be read', object('Approved', 'eA=='), 3],
    ['has a condition of someone else', object('Mine'), undefined],
  ] as const) {
    it(`keeps one that ${what} for ${hours ?? 'ever: no'} hours`, () =>
      assert.equal(deadlineMs(made), hours === undefined ? undefined : Date.parse(AT) + hours * HOUR_MS));
  }

  it('keeps none whose certificate is no longer valid', async () => {
    const { pem } = await TestAuthority.create();
    const certificate = Buffer.from(pem).toString('base64');
    assert.equal(deadlineMs(object('Mine', certificate)), Date.parse(new X509Certificate(pem).validTo));
  });

  it('deletes each at its time, and not before', async () => {
    const fixture = new ControllersFixture();
    const { client, clock } = fixture;
    await fixture.start(certificateCleanerController.create(fixture.context, {} as ControllersConfig)!);
    const create = async (name: string, type?: string): Promise<void> => {
      const made = object(type);
      await client.create(certificateSigningRequests, { ...made, metadata: { name }, status: {} });
      if (type === undefined) return;
      const created = await client.get(certificateSigningRequests, { name });
      const conditions = [{ ...made.status.conditions![0]!, lastUpdateTime: formatTime(new Date(clock.wallMs())) }];
      await client.update(
        certificateSigningRequests,
        { ...created, status: { conditions } },
        { subresource: 'approval' },
      );
    };
    const left = async (): Promise<string[]> =>
      (await client.list(certificateSigningRequests)).items.map(({ metadata }) => metadata.name!).toSorted();
    await create('denied', 'Denied');
    await create('waits');
    await clock.advance(HOUR_MS - 60_000);
    assert.deepEqual(await left(), ['denied', 'waits']);
    await clock.advance(120_000);
    assert.deepEqual(await left(), ['waits']);
    await clock.advance(23 * HOUR_MS);
    assert.deepEqual([await left(), fixture.errors], [[], []]);
    await fixture.stop();
  });
});
