import assert from 'node:assert/strict';
import { configMaps, namespaces } from '../../api/core/tokens.ts';
import { failureStatus, StatusError } from '../../apimachinery/errors/status-error.ts';
import type { ConfigMap, Namespace } from '../../generated/types/core-v1.ts';
import type { ControllersConfig } from '../controllers-config.ts';
import { ControllersFixture } from '../controllers-testing.ts';
import { rootCaPublisherController } from './controller.ts';

const NAME = 'kube-root-ca.crt';

describe('the root CA publisher', () => {
  let fixture: ControllersFixture;
  beforeEach(() => (fixture = new ControllersFixture()));
  afterEach(() => fixture.stop());
  const namespace = (name: string, phase = 'Active'): Namespace =>
    ({ metadata: { name }, spec: {}, status: { phase } }) as Namespace;
  const start = (): Promise<void> =>
    fixture.start(
      rootCaPublisherController.create(fixture.context, { accounts: { rootCa: 'CA' } } as ControllersConfig)!,
    );
  const map = (): Promise<ConfigMap> => fixture.client.get(configMaps, { namespace: 'a', name: NAME });

  it('gives each active namespace the certificates, and none that ends', async () => {
    await fixture.client.create(namespaces, namespace('a'));
    await fixture.client.create(namespaces, namespace('ending', 'Terminating'));
    await start();
    const { data, metadata } = await map();
    assert.deepEqual(data, { 'ca.crt': 'CA' });
    assert.match(metadata.annotations!['kubernetes.io/description']!, /^Contains a CA bundle/);
    assert.equal((await fixture.client.list(configMaps)).items.length, 1);
  });

  it('makes it again where it is deleted or changed, and leaves what others add beside', async () => {
    await fixture.client.create(namespaces, namespace('a'));
    await start();
    await fixture.client.delete(configMaps, { namespace: 'a', name: NAME });
    await fixture.clock.advance(0);
    const made = await map();
    const { annotations } = made.metadata;
    const spoiled = { ...made.metadata, annotations: { mine: 'b' }, labels: { mine: 'a' } };
    await fixture.client.update(configMaps, { ...made, metadata: spoiled, data: { 'ca.crt': 'x', more: 'y' } });
    await fixture.clock.advance(0);
    const { data, metadata } = await map();
    assert.deepEqual(data, { 'ca.crt': 'CA' });
    assert.deepEqual([metadata.labels, metadata.annotations], [{ mine: 'a' }, { mine: 'b', ...annotations }]);
    const before = fixture.client.writes.length;
    await fixture.client.update(configMaps, { ...(await map()), metadata: { ...metadata, labels: {} } });
    await fixture.clock.advance(0);
    assert.deepEqual([fixture.client.writes.length, fixture.errors], [before + 1, []]);
  });

  it('is done where the server says that the namespace ends', async () => {
    fixture.client.before = ({ verb, resource }) => {
      if (verb !== 'create' || resource !== 'configmaps') return;
      const causes = [{ reason: 'NamespaceTerminating', field: 'metadata.namespace' }];
      throw new StatusError(failureStatus(403, 'Forbidden', 'it ends', { causes }));
    };
    await fixture.client.create(namespaces, namespace('a'));
    await start();
    await fixture.clock.advance(10_000);
    assert.deepEqual(fixture.errors, []);
    assert.equal(fixture.client.writes.filter(({ resource }) => resource === 'configmaps').length, 1);
  });

  it('is off without certificates', () =>
    assert.equal(
      rootCaPublisherController.create(fixture.context, { accounts: { rootCa: '' } } as ControllersConfig),
      undefined,
    ));
});
