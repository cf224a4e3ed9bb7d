import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { configMaps, secrets, serviceAccounts } from '../../../../pkg/api/core/tokens.ts';
import { unlessNotFound } from '../../../../pkg/apimachinery/errors/status-error.ts';
import type { ControllersConfig } from '../../../../pkg/controllers/controllers-config.ts';
import { legacyTokenCleanerController } from '../../../../pkg/controllers/legacy-token-cleaner/controller.ts';
import { serviceAccountTokenController } from '../../../../pkg/controllers/serviceaccount-token/controller.ts';
import type { PodSpec, Secret } from '../../../../pkg/generated/types/core-v1.ts';
import { until } from '../../../fixtures/until.ts';
import { whoAmI } from '../../../fixtures/who-am-i.ts';
import type { ControllerSuite } from '../controller-suite.ts';
import { createPod } from '../suite-objects.ts';

const TRACKING = { namespace: 'kube-system', name: 'kube-apiserver-legacy-service-account-token-tracking' };
const INVALID = 'kubernetes.io/legacy-token-invalid-since';
const USED = 'kubernetes.io/legacy-token-last-used';
const LONG_AGO = '2020-01-01';
const CLEAN_UP_MS = 1000;

export const legacyTokenCleaner: ControllerSuite = {
  name: 'legacy-token-cleaner',
  define(host) {
    const config = (): ControllersConfig => {
      const keyFile = path.join(path.dirname(host.server.running.kubeconfig.path), 'pki', 'service-account.key');
      return {
        accounts: { rootCa: '', privateKey: readFileSync(keyFile, 'utf8'), tokenCleanUpMs: CLEAN_UP_MS },
        workers: { serviceAccountToken: 2 },
      } as ControllersConfig;
    };
    let namespace: string;
    beforeEach(async () => {
      namespace = await host.namespace();
      await unlessNotFound(host.client.delete(configMaps, TRACKING));
      await host.client.create(configMaps, { metadata: TRACKING, data: { since: LONG_AGO } });
      await host.client.create(serviceAccounts, { metadata: { namespace, name: 'robot' } });
      await host.start((context) => serviceAccountTokenController.create(context, config())!);
    });
    afterEach(() => host.client.delete(configMaps, TRACKING));

    /** A filled secret; the account lists those that releases before 1.24 made for it. */
    const addToken = async (
      name: string,
      { labels = {}, isGenerated = true }: { labels?: Record<string, string>; isGenerated?: boolean } = {},
    ): Promise<string> => {
      await host.client.create(secrets, {
        metadata: { namespace, name, labels, annotations: { 'kubernetes.io/service-account.name': 'robot' } },
        type: 'kubernetes.io/service-account-token',
      });
      if (isGenerated) {
        const robot = { namespace, name: 'robot' };
        const { secrets: listed = [] } = await host.client.get(serviceAccounts, robot);
        await host.client.patch(serviceAccounts, robot, 'merge', { secrets: [...listed, { name }] });
      }
      await until(async () => (await secret(name))?.data?.['token'] !== undefined, `the token of ${name}`);
      return Buffer.from((await secret(name))!.data!['token']!, 'base64').toString();
    };
    const secret = (name: string): Promise<Secret | undefined> =>
      unlessNotFound(host.client.get(secrets, { namespace, name }));
    const invalidSince = async (name: string): Promise<string | undefined> =>
      (await secret(name))?.metadata.labels?.[INVALID];
    const addPod = (name: string, spec: Partial<PodSpec>): Promise<unknown> =>
      createPod(host, { namespace, name }, spec);
    /** The one look of a day, when all that is there is old enough. */
    const clean = async (): Promise<void> => {
      const doneMs = Date.now() + CLEAN_UP_MS;
      await until(() => Date.now() > doneMs, 'the end of the period');
      await host.start((context) => legacyTokenCleanerController.create(context, config())!);
    };
    const today = (): string => new Date().toISOString().slice(0, 10);

    it('marks a token that nothing uses, which the server refuses from then on', async () => {
      const token = await addToken('idle');
      const before = today();
      await clean();
      const since = (await invalidSince('idle')) ?? '';
      assert.ok([before, today()].includes(since), since);
      await until(async () => (await whoAmI(host.server, { token })).status === 401, 'a token that is refused');
    });

    it('leaves what is used, made by hand, or named by a pod', async () => {
      const token = await addToken('used');
      assert.equal((await whoAmI(host.server, { token })).status, 201);
      await until(async () => (await secret('used'))?.metadata.labels?.[USED] !== undefined, 'the day of the use');
      await addToken('manual', { isGenerated: false });
      for (const name of ['mounted', 'environment', 'registry', 'idle']) await addToken(name);
      await addPod('mounts', { volumes: [{ name: 'v', secret: { secretName: 'mounted' } }] });
      await addPod('reads', {
        containers: [
          { name: 'main', image: 'app:1', resources: {}, envFrom: [{ secretRef: { name: 'environment' } }] },
        ],
      });
      await addPod('pulls', { imagePullSecrets: [{ name: 'registry' }] });
      await clean();
      assert.notEqual(await invalidSince('idle'), undefined);
      for (const name of ['used', 'manual', 'mounted', 'environment', 'registry'])
        assert.equal(await invalidSince(name), undefined, name);
    });

    it('deletes what is marked for the whole period, and marks again what has a mark that is no day', async () => {
      await addToken('old', { labels: { [USED]: LONG_AGO, [INVALID]: LONG_AGO } });
      await addToken('fresh', { labels: { [INVALID]: today() } });
      await addToken('odd', { labels: { [INVALID]: 'soon' } });
      await addToken('unclear', { labels: { [USED]: 'lately', [INVALID]: LONG_AGO } });
      await clean();
      assert.equal(await secret('old'), undefined);
      assert.notEqual(await secret('fresh'), undefined);
      assert.match((await invalidSince('odd'))!, /^\d{4}-\d\d-\d\d$/);
      assert.notEqual(await secret('unclear'), undefined);
    });

    it('does nothing while uses are not tracked for long', async () => {
      await host.client.patch(configMaps, TRACKING, 'merge', { data: { since: today() } });
      await addToken('idle');
      await addToken('marked', { labels: { [INVALID]: LONG_AGO } });
      await clean();
      assert.equal(await invalidSince('idle'), undefined);
      assert.notEqual(await secret('marked'), undefined);
    });
  },
};
