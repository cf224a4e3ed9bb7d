import assert from 'node:assert/strict';
import { eachKubectl } from './each-version.ts';

eachKubectl('permissions', (bench) => {
  before(async () => {
    const { kubectl } = bench();
    await kubectl.ok`create role reader --verb=get,list --resource=configmaps --resource=deployments.apps/scale`;
    await kubectl.ok`create rolebinding readers --role=reader --user=jane --group=readers`;
  });

  it('reports whether a user may do something', async () => {
    const { kubectl } = bench();
    assert.equal(await kubectl.ok`auth can-i get configmaps --as=jane`, 'yes\n');
    assert.equal(
      await kubectl.ok`auth can-i list deployments --subresource=scale --as=joe --as-group=readers`,
      'yes\n',
    );
    for (const [verb, what] of [
      ['delete', 'configmaps'],
      ['get', 'secrets'],
      ['get', '/metrics'],
    ]) {
      assert.equal((await kubectl.run`auth can-i ${verb} ${what} --as=jane`).stdout, 'no\n', `${verb} ${what}`);
    }
    assert.equal((await kubectl.run`auth can-i list configmaps --as=jane --all-namespaces`).stdout, 'no\n');
    assert.equal(await kubectl.ok`auth can-i ${'*'} ${'*'} --all-namespaces`, 'yes\n');
  });

  it('lists what a user may do', async () => {
    const { kubectl } = bench();
    const listed = await kubectl.ok`auth can-i --list --as=jane --as-group=system:authenticated`;
    assert.match(listed, /^configmaps +\[\] +\[\] +\[get list\]$/m);
    assert.match(listed, /^deployments\.apps\/scale +\[\] +\[\] +\[get list\]$/m);
    assert.match(listed, /^selfsubjectaccessreviews\.authorization\.k8s\.io +\[\] +\[\] +\[create\]$/m);
    assert.match(listed, /\[\/healthz\] +\[\] +\[get\]$/m);
    assert.doesNotMatch(listed, /secrets/);
    assert.match(await kubectl.ok`auth can-i --list`, /^\*\.\* +\[\] +\[\] +\[\*\]$/m);
  });

  it("keeps people from giving what they don't have", async () => {
    const { kubectl } = bench();
    await kubectl.ok`create role policy --verb=get,create,update --resource=roles.rbac.authorization.k8s.io,rolebindings.rbac.authorization.k8s.io`;
    await kubectl.ok`create rolebinding policy --role=policy --user=jane`;
    const refused = await kubectl.fails`create role more --verb=get,list --resource=secrets --as=jane --as-group=staff`;
    assert.match(
      refused,
      /^Error from server \(Forbidden\): roles\.rbac\.authorization\.k8s\.io "more" is forbidden: user "jane" \(groups=\["staff" "system:authenticated"\]\) is attempting to grant RBAC permissions not currently held:$/m,
    );
    assert.match(refused, /^\{APIGroups:\[""\], Resources:\["secrets"\], Verbs:\["get" "list"\]\}$/m);
    await kubectl.ok`create role same --verb=get --resource=configmaps --as=jane`;
    assert.match(
      await kubectl.fails`create rolebinding admins --clusterrole=admin --user=jane --as=jane`,
      /is attempting to grant RBAC permissions not currently held/,
    );
  });

  it('reconciles policy', async () => {
    const { kubectl } = bench();
    const role = {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'Role',
      metadata: { name: 'reader', namespace: 'permissions' },
      rules: [{ verbs: ['watch'], apiGroups: [''], resources: ['configmaps'] }],
    };
    assert.match(
      await kubectl.input(JSON.stringify(role)).ok`auth reconcile -f -`,
      /role\.rbac\.authorization\.k8s\.io\/reader reconciled/,
    );
    assert.equal(await kubectl.ok`auth can-i watch configmaps --as=jane`, 'yes\n');
    assert.equal(await kubectl.ok`auth can-i get configmaps --as=jane`, 'yes\n');
  });
});
