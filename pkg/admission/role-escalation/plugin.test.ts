import assert from 'node:assert/strict';
import { forbidden } from '../../apimachinery/errors/status-error.ts';
import type { EscalationChecks, PolicyWrite } from '../../authorization/rbac/escalation.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import { refusalOf, requestFor } from '../plugin-testing.ts';
import { roleEscalationPlugin } from './plugin.ts';

const group = 'rbac.authorization.k8s.io';

describe('RoleEscalation', () => {
  let seen: [string, PolicyWrite<ApiObject>][];
  let refuses: boolean;
  const check =
    (name: string) =>
    async (write: PolicyWrite<ApiObject>): Promise<void> => {
      seen.push([name, write]);
      if (refuses) throw forbidden(write.resource, write.object.metadata.name ?? '', 'too much');
    };
  const plugin = roleEscalationPlugin({
    checkRole: check('role'),
    checkBinding: check('binding'),
  } as unknown as EscalationChecks);
  beforeEach(() => {
    seen = [];
    refuses = false;
  });
  const object = { metadata: { name: 'x', namespace: 'ns' } };

  it('checks roles and bindings', async () => {
    for (const resource of ['roles', 'clusterroles', 'rolebindings', 'clusterrolebindings'])
      assert.equal(await refusalOf(plugin, requestFor(`${resource}.${group}`, object)), undefined);
    assert.deepEqual(
      seen.map(([name, { resource }]) => [name, resource.resource]),
      [
        ['role', 'roles'],
        ['role', 'clusterroles'],
        ['binding', 'rolebindings'],
        ['binding', 'clusterrolebindings'],
      ],
    );
  });

  it('passes the refusal on', async () => {
    refuses = true;
    assert.equal(
      await refusalOf(plugin, requestFor(`roles.${group}`, object)),
      `403 roles.${group} "x" is forbidden: too much`,
    );
  });

  it('passes the name of a request that has one in its path', async () => {
    await plugin.admit!(requestFor(`roles.${group}`, object));
    await plugin.admit!(requestFor(`roles.${group}`, object, { operation: 'UPDATE', oldObject: object as ApiObject }));
    await plugin.admit!(requestFor(`roles.${group}`, object, { insteadOfUpdate: true }));
    assert.deepEqual(
      seen.map(([, { requestName, old, namespace }]) => [requestName, old !== undefined, namespace]),
      [
        ['', false, 'ns'],
        ['x', true, 'ns'],
        ['x', false, 'ns'],
      ],
    );
  });

  it('ignores everything else', async () => {
    await plugin.admit!(requestFor('roles.example.com', object));
    await plugin.admit!(requestFor('pods', object));
    await plugin.admit!(requestFor(`roles.${group}`, undefined, { operation: 'DELETE' }));
    assert.deepEqual(seen, []);
  });
});
