import assert from 'node:assert/strict';
import { deployment } from '../../api/apps/deployment/deployment.ts';
import { node } from '../../api/core/node/node.ts';
import { authorizerOf } from '../authorizer-testing.ts';
import { refusalOf, requestFor } from '../plugin-testing.ts';
import { ownerReferencesPermissionEnforcementPlugin } from './plugin.ts';

describe('OwnerReferencesPermissionEnforcement', () => {
  const owner = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd', uid: 'u' };
  const object = (...ownerReferences: object[]) => ({ metadata: { name: 'x', namespace: 'n', ownerReferences } });
  const bare = { metadata: { name: 'x', namespace: 'n' } };
  const may = (...verbs: string[]) => authorizerOf(({ verb }) => verbs.includes(verb));
  const refused = (authorizer: ReturnType<typeof may>, now: object, overrides = {}) =>
    refusalOf(
      ownerReferencesPermissionEnforcementPlugin(authorizer, () => [deployment, node]),
      requestFor('configmaps', now, overrides),
    );
  const update = (oldObject: object) => ({ operation: 'UPDATE', oldObject }) as object;

  it('checks nothing where owners stay unchanged', async () => {
    const authorizer = may();
    assert.equal(await refused(authorizer, bare), undefined);
    assert.equal(await refused(authorizer, object(owner), update(object(owner))), undefined);
    assert.deepEqual(authorizer.asked, []);
  });

  it('allows creators to set owners, and updaters who may delete', async () => {
    assert.equal(await refused(may(), object(owner)), undefined);
    assert.equal(await refused(may('delete'), object(owner), update(bare)), undefined);
    assert.equal(await refused(may('delete'), bare, update(object(owner))), undefined);
  });

  it('refuses an updater who may not delete', async () => {
    const authorizer = may();
    const words =
      '403 configmaps "x" is forbidden: cannot set an ownerRef on a resource you can\'t delete: no rule, <nil>';
    assert.equal(await refused(authorizer, object(owner), update(bare)), words);
    const [{ verb, resource, namespace, name }] = authorizer.asked as [(typeof authorizer.asked)[0]];
    assert.deepEqual([verb, resource, namespace, name], ['delete', 'configmaps', 'n', 'x']);
  });

  it("allows blocking of deletions only to users who may set the owner's finalizers", async () => {
    const blocking = { ...owner, blockOwnerDeletion: true };
    const authorizer = may('delete');
    const words =
      '403 configmaps "x" is forbidden: cannot set blockOwnerDeletion if an ownerReference refers to a resource you can\'t set finalizers on: no rule, <nil>';
    assert.equal(await refused(authorizer, object(blocking)), words);
    assert.deepEqual(
      authorizer.asked.map(({ verb, apiGroup, resource, subresource, namespace, name }) => [
        verb,
        apiGroup,
        resource,
        subresource,
        namespace,
        name,
      ]),
      [['update', 'apps', 'deployments', 'finalizers', 'n', 'd']],
    );
    assert.equal(await refused(may('delete'), object(blocking), update(object(owner))), words);
    assert.equal(await refused(may('update'), object(blocking)), undefined);
    assert.equal(
      await refused(may('delete'), object({ ...blocking, controller: true }), update(object(blocking))),
      undefined,
    );
  });

  it('checks cluster-wide owners at the cluster scope', async () => {
    const authorizer = may('update');
    assert.equal(
      await refused(
        authorizer,
        object({ apiVersion: 'v1', kind: 'Node', name: 'm', uid: 'u', blockOwnerDeletion: true }),
      ),
      undefined,
    );
    assert.deepEqual(
      authorizer.asked.map(({ resource, namespace }) => [resource, namespace]),
      [['nodes', '']],
    );
  });

  it('refuses owners of unknown kinds', async () => {
    assert.equal(
      await refused(may('update'), object({ ...owner, kind: 'Thing', blockOwnerDeletion: true })),
      '403 configmaps "x" is forbidden: cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion apps/v1 Kind Thing: no matches for kind "Thing" in version "apps/v1"',
    );
  });

  it('leaves the status of pods alone', async () => {
    const plugin = ownerReferencesPermissionEnforcementPlugin(may(), () => []);
    assert.equal(
      await refusalOf(plugin, requestFor('pods', object(owner), { ...update(bare), subresource: 'status' })),
      undefined,
    );
  });
});
