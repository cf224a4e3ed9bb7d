import assert from 'node:assert/strict';
import { eachKubectl } from './each-version.ts';
import { configMap, deployment } from './manifests.ts';

/** The answers to a user with a role in one namespace. */
eachKubectl('restricted', (bench) => {
  const namespace = 'in the namespace "restricted"';

  before(async () => {
    const { kubectl } = bench();
    await kubectl.ok`create role deployer --verb=get,list,watch,create,update,patch,delete --resource=deployments.apps,pods`;
    await kubectl.ok`create role one-map --verb=get,list,watch,patch --resource=configmaps --resource-name=mine`;
    await kubectl.ok`create rolebinding deployer --role=deployer --user=jane`;
    await kubectl.ok`create rolebinding one-map --role=one-map --user=jane`;
    await kubectl.ok`create configmap mine --from-literal=a=1`;
    await kubectl.ok`create configmap other`;
    await kubectl.input(deployment('web')).ok`create -f -`;
  });

  it('lets them do what the role says', async () => {
    const { kubectl } = bench();
    assert.equal(await kubectl.ok`get deployments -o name --as=jane`, 'deployment.apps/web\n');
    assert.equal(
      await kubectl.ok`set image deployment/web *=nginx:1.27 --as=jane`,
      'deployment.apps/web image updated\n',
    );
    assert.equal(await kubectl.ok`rollout restart deployment/web --as=jane`, 'deployment.apps/web restarted\n');
    assert.equal(await kubectl.input(deployment('own')).ok`apply -f - --as=jane`, 'deployment.apps/own created\n');
    assert.match(await kubectl.ok`delete deployment own --as=jane`, /^deployment\.apps "own" deleted/);
  });

  it('finds the one object that a role names, also in lists and watches of it alone', async () => {
    const { kubectl } = bench();
    assert.equal(
      await kubectl.ok`get configmaps --field-selector=metadata.name=mine -o name --as=jane`,
      'configmap/mine\n',
    );
    assert.equal(
      await kubectl.ok`wait --for=jsonpath={.data.a}=1 configmap/mine --timeout=10s --as=jane`,
      'configmap/mine condition met\n',
    );
    assert.equal(
      await kubectl.ok`patch configmap mine -p ${'{"data":{"b":"2"}}'} --as=jane`,
      'configmap/mine patched\n',
    );
    assert.equal(
      await kubectl.fails`get configmaps --field-selector=metadata.name=other --as=jane`,
      `Error from server (Forbidden): configmaps "other" is forbidden: User "jane" cannot list resource "configmaps" in API group "" ${namespace}\n`,
    );
    assert.equal(
      await kubectl.fails`get configmaps --as=jane`,
      `Error from server (Forbidden): configmaps is forbidden: User "jane" cannot list resource "configmaps" in API group "" ${namespace}\n`,
    );
  });

  it('says what is missing: verb, resource, group and namespace', async () => {
    const { kubectl } = bench();
    assert.equal(
      await kubectl.fails`scale deployment web --replicas=3 --as=jane`,
      `Error from server (Forbidden): deployments.apps "web" is forbidden: User "jane" cannot patch resource "deployments/scale" in API group "apps" ${namespace}\n`,
    );
    assert.equal(
      await kubectl.fails`get deployments -A --as=jane`,
      'Error from server (Forbidden): deployments.apps is forbidden: User "jane" cannot list resource "deployments" in API group "apps" at the cluster scope\n',
    );
    assert.equal(
      await kubectl.fails`create namespace restricted-more --as=jane`,
      'Error from server (Forbidden): namespaces is forbidden: User "jane" cannot create resource "namespaces" in API group "" at the cluster scope\n',
    );
    assert.ok(
      (await kubectl.fails`delete namespace restricted --as=jane`).endsWith(
        `Error from server (Forbidden): namespaces "restricted" is forbidden: User "jane" cannot delete resource "namespaces" in API group "" ${namespace}\n`,
      ),
    );
    assert.equal(
      await kubectl.fails`create token default --as=jane`,
      `error: failed to create token: serviceaccounts "default" is forbidden: User "jane" cannot create resource "serviceaccounts/token" in API group "" ${namespace}\n`,
    );
    assert.equal(
      await kubectl.fails`drain some-node --as=jane`,
      'Error from server (Forbidden): nodes "some-node" is forbidden: User "jane" cannot get resource "nodes" in API group "" at the cluster scope\n',
    );
    assert.equal(
      await kubectl.fails`get --raw /metrics --as=jane`,
      'Error from server (Forbidden): forbidden: User "jane" cannot get path "/metrics"\n',
    );
    assert.match(
      await kubectl.fails`rollout history deployment web --as=jane`,
      /replicasets\.apps is forbidden: User "jane" cannot list resource "replicasets" in API group "apps" in the namespace "restricted"/,
    );
  });

  it('says so where a command asks first', async () => {
    const { kubectl } = bench();
    assert.match(
      await kubectl.input(configMap('unseen')).fails`apply -f - --as=jane`,
      /configmaps "unseen" is forbidden: User "jane" cannot get resource "configmaps" in API group "" in the namespace "restricted"/,
    );
    assert.match(
      await kubectl.input(configMap('unseen')).fails`diff -f - --as=jane`,
      /configmaps "unseen" is forbidden/,
    );
    assert.match(
      await kubectl.input(configMap('other')).fails`replace -f - --as=jane`,
      /configmaps "other" is forbidden: User "jane" cannot update resource "configmaps"/,
    );
    assert.match(
      await kubectl.fails`label configmap other a=b --as=jane`,
      /configmaps "other" is forbidden: User "jane" cannot get resource "configmaps"/,
    );
    assert.match(
      await kubectl.fails`delete configmaps --all --as=jane`,
      /configmaps is forbidden: User "jane" cannot list resource "configmaps"/,
    );
  });

  it('shows what may be seen of several kinds, and refuses the rest', async () => {
    const { status, stdout, stderr } = await bench().kubectl.run`get deployments,secrets,services -o name --as=jane`;
    assert.equal(status, 1);
    assert.equal(stdout, 'deployment.apps/web\n');
    assert.deepEqual(stderr.match(/User "jane" cannot list resource "\w+"/g), [
      'User "jane" cannot list resource "secrets"',
      'User "jane" cannot list resource "services"',
    ]);
  });
});
