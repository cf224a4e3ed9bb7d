import assert from 'node:assert/strict';
import { failureStatus, StatusError } from '../../apimachinery/errors/status-error.ts';
import type { Namespace } from '../../generated/types/core-v1.ts';
import { namespaces, serviceAccounts } from '../../api/core/tokens.ts';
import { ControllersFixture } from '../controllers-testing.ts';
import { serviceAccountController } from './controller.ts';

const namespace = (name: string, phase = 'Active'): Namespace =>
  ({ metadata: { name }, spec: {}, status: { phase } }) as Namespace;

describe('the serviceaccount controller', () => {
  let fixture: ControllersFixture;
  beforeEach(() => (fixture = new ControllersFixture()));
  afterEach(() => fixture.stop());
  const accounts = (): string[] =>
    [...fixture.client.cluster.objects.keys()].filter((key) => key.startsWith('serviceaccounts/')).toSorted();

  it('creates the default account in every active namespace, also in those that come later', async () => {
    await fixture.client.create(namespaces, namespace('a'));
    await fixture.client.create(namespaces, namespace('ending', 'Terminating'));
    await fixture.start(serviceAccountController(fixture.context));
    assert.deepEqual(accounts(), ['serviceaccounts/a/default']);
    await fixture.client.create(namespaces, namespace('b'));
    await fixture.clock.advance(0);
    assert.deepEqual([accounts(), fixture.errors], [['serviceaccounts/a/default', 'serviceaccounts/b/default'], []]);
  });

  it('creates an account again that was deleted, but not where its namespace ends', async () => {
    await fixture.client.create(namespaces, namespace('a'));
    await fixture.start(serviceAccountController(fixture.context));
    await fixture.client.delete(serviceAccounts, { namespace: 'a', name: 'default' });
    await fixture.clock.advance(0);
    assert.deepEqual(accounts(), ['serviceaccounts/a/default']);
    await fixture.client.update(namespaces, namespace('a', 'Terminating'), { subresource: 'status' });
    await fixture.client.delete(serviceAccounts, { namespace: 'a', name: 'default' });
    await fixture.clock.advance(0);
    assert.deepEqual(accounts(), []);
  });

  it('is done where the server says that the namespace ends, and tries again after other failures', async () => {
    let refusals = 1;
    fixture.client.before = ({ verb, resource }) => {
      if (verb !== 'create' || resource !== 'serviceaccounts' || refusals-- <= 0) return;
      throw new StatusError(failureStatus(500, 'InternalError', 'not now'));
    };
    await fixture.client.create(namespaces, namespace('a'));
    await fixture.start(serviceAccountController(fixture.context));
    await fixture.clock.advance(1000);
    assert.deepEqual([accounts(), fixture.errors], [['serviceaccounts/a/default'], ['serviceaccount a: not now']]);
    const causes = [{ reason: 'NamespaceTerminating', field: 'metadata.namespace' }];
    fixture.client.before = ({ verb, resource }) => {
      if (verb !== 'create' || resource !== 'serviceaccounts') return;
      throw new StatusError(failureStatus(403, 'Forbidden', 'it ends', { causes }));
    };
    await fixture.client.create(namespaces, namespace('b'));
    await fixture.clock.advance(10_000);
    assert.equal(fixture.errors.length, 1);
    assert.equal(fixture.client.writes.filter(({ resource }) => resource === 'serviceaccounts').length, 3);
  });
});
