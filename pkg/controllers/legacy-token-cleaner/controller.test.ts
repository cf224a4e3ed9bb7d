import assert from 'node:assert/strict';
import { configMaps, pods, secrets, serviceAccounts } from '../../api/core/tokens.ts';
import type { Pod, PodSpec, Secret } from '../../generated/types/core-v1.ts';
import type { ControllersConfig } from '../controllers-config.ts';
import { ControllersFixture } from '../controllers-testing.ts';
import { NAME, NAMESPACE } from '../legacy-token-tracking/reconcile.ts';
import { ACCOUNT_NAME, TOKEN_SECRET_TYPE } from '../serviceaccount-token/token-secret.ts';
import { legacyTokenCleanerController } from './controller.ts';

const DAY_MS = 24 * 3600_000;
const INVALID = 'kubernetes.io/legacy-token-invalid-since';
const USED = 'kubernetes.io/legacy-token-last-used';
const CLEAN_UP_DAYS = 10;

describe('the legacy token cleaner', () => {
  let fixture: ControllersFixture;
  beforeEach(() => (fixture = new ControllersFixture()));
  afterEach(() => fixture.stop());

  const day = (days = 0): string => new Date(fixture.clock.wallMs() + days * DAY_MS).toISOString().slice(0, 10);
  const start = (): Promise<void> => {
    const config = { accounts: { tokenCleanUpMs: CLEAN_UP_DAYS * DAY_MS } } as ControllersConfig;
    return fixture.start(legacyTokenCleanerController.create(fixture.context, config)!);
  };
  const track = (since: string): Promise<unknown> =>
    fixture.client.create(configMaps, { metadata: { namespace: NAMESPACE, name: NAME }, data: { since } });
  /** A token as old releases made them, and its account, twenty days before the start. */
  const prepare = async (labels: Record<string, string> = {}, isReferred = true): Promise<void> => {
    await fixture.client.create(serviceAccounts, {
      metadata: { namespace: 'a', name: 'robot' },
      ...(isReferred ? { secrets: [{ name: 'token' }] } : {}),
    });
    await fixture.client.create(secrets, {
      metadata: { namespace: 'a', name: 'token', labels, annotations: { [ACCOUNT_NAME]: 'robot' } },
      type: TOKEN_SECRET_TYPE,
    });
    await fixture.clock.advance(2 * CLEAN_UP_DAYS * DAY_MS);
  };
  const found = async (): Promise<Secret | undefined> => (await fixture.client.list(secrets)).items[0];

  it('marks a token that was not used for long, and deletes it when it is marked for as long', async () => {
    await track(day());
    await prepare();
    await start();
    assert.equal((await found())!.metadata.labels?.[INVALID], day());
    await fixture.clock.advance(CLEAN_UP_DAYS * DAY_MS);
    assert.notEqual(await found(), undefined);
    await fixture.clock.advance(DAY_MS);
    assert.deepEqual([await found(), fixture.errors], [undefined, []]);
  });

  const prepareWithPod = async (spec: Partial<PodSpec>): Promise<void> => {
    await prepare();
    const pod = { metadata: { namespace: 'a', name: 'p' }, spec: { containers: [], ...spec }, status: {} };
    await fixture.client.create(pods, pod as Pod);
  };
  const container = { name: 'c', image: 'i', resources: {} };
  for (const [what, prepareOne] of [
    ['one that was used', async () => prepare({ [USED]: day(CLEAN_UP_DAYS) })],
    ['one whose use cannot be read', async () => prepare({ [USED]: 'lately' })],
    ['one that someone made by hand', async () => prepare({}, false)],
    ['one that a pod mounts', () => prepareWithPod({ volumes: [{ name: 'v', secret: { secretName: 'token' } }] })],
    [
      'one that a pod mounts among others',
      () => prepareWithPod({ volumes: [{ name: 'v', projected: { sources: [{ secret: { name: 'token' } }] } }] }),
    ],
    [
      'one in the environment of a container',
      () =>
        prepareWithPod({
          containers: [
            { ...container, env: [{ name: 'T', valueFrom: { secretKeyRef: { name: 'token', key: 'token' } } }] },
          ],
        }),
    ],
    [
      'one that is the environment of an init container',
      () => prepareWithPod({ initContainers: [{ ...container, envFrom: [{ secretRef: { name: 'token' } }] }] }),
    ],
    ['one for a registry', () => prepareWithPod({ imagePullSecrets: [{ name: 'token' }] })],
  ] as const) {
    it(`leaves ${what}`, async () => {
      await track(day());
      await prepareOne();
      await start();
      assert.equal((await found())!.metadata.labels?.[INVALID], undefined);
    });
  }

  for (const since of ['no day', 'recently', 'never'] as const) {
    it(`does nothing where uses are tracked since ${since}`, async () => {
      await prepare();
      if (since !== 'never') await track(since === 'recently' ? day(-CLEAN_UP_DAYS) : since);
      await start();
      assert.equal((await found())!.metadata.labels?.[INVALID], undefined);
    });
  }

  it('marks again where the mark is no day', async () => {
    await track(day());
    await prepare({ [INVALID]: 'x' });
    await start();
    assert.equal((await found())!.metadata.labels?.[INVALID], day());
  });
});
