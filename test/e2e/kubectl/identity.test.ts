import assert from 'node:assert/strict';
import { eachKubectl } from './each-version.ts';

eachKubectl('identity', (bench) => {
  before(async () => {
    await bench().kubectl.ok`create serviceaccount robot`;
  });

  it('gets a token for a service account, which then is that account', async () => {
    const { kubectl } = bench();
    const token = (await kubectl.ok`create token robot --duration=20m`).trim();
    assert.match(token, /^[\w-]+\.[\w-]+\.[\w-]+$/);
    assert.match(
      await kubectl.fails`get pods --token=${token}`,
      /Error from server \(Forbidden\): pods is forbidden: User "system:serviceaccount:identity:robot" cannot list resource "pods" in API group "" in the namespace "identity"/,
    );
    await kubectl.ok`create rolebinding robot --clusterrole=view --serviceaccount=identity:robot`;
    assert.equal(await kubectl.ok`get configmaps --token=${token}`, '');
    await kubectl.ok`delete serviceaccount robot`;
    assert.match(await kubectl.fails`get pods --token=${token}`, /Unauthorized/);
    await kubectl.ok`create serviceaccount robot`;
  });

  it('gets no token that is too short-lived, or for a missing account', async () => {
    const { kubectl } = bench();
    assert.match(
      await kubectl.fails`create token robot --duration=1m`,
      /spec\.expirationSeconds: Invalid value: 60: may not specify a duration less than 10 minutes/,
    );
    assert.match(await kubectl.fails`create token nobody`, /serviceaccounts "nobody" not found/);
  });

  it('binds a token to a secret', async () => {
    const { kubectl } = bench();
    await kubectl.ok`create secret generic anchor`;
    const token = (await kubectl.ok`create token robot --bound-object-kind=Secret --bound-object-name=anchor`).trim();
    assert.match(await kubectl.fails`get secrets --token=${token}`, /Forbidden/);
    await kubectl.ok`delete secret anchor`;
    assert.match(await kubectl.fails`get secrets --token=${token}`, /Unauthorized/);
  });

  it('acts as another user', async () => {
    const { kubectl } = bench();
    assert.match(await kubectl.fails`get pods --as=jane --as-group=dev`, /User "jane" cannot list resource "pods"/);
    assert.equal(await kubectl.ok`get configmaps --as=jane --as-group=system:masters`, '');
    assert.match(await kubectl.fails`auth can-i create pods --as=system:serviceaccount:identity:robot`, /^$|no/);
  });
});
