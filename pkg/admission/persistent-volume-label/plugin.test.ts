import assert from 'node:assert/strict';
import { refusalOf, requestFor } from '../plugin-testing.ts';
import { persistentVolumeLabelPlugin } from './plugin.ts';

describe('PersistentVolumeLabel', () => {
  const refused = (spec: object, metadata = {}, overrides = {}) =>
    refusalOf(
      persistentVolumeLabelPlugin(),
      requestFor('persistentvolumes', { metadata: { name: 'v', ...metadata }, spec }, overrides),
    );
  const head = '403 persistentvolumes "v" is forbidden: error querying ';

  it('admits volumes without a cloud', async () => {
    assert.equal(await refused({ hostPath: { path: '/x' } }), undefined);
    assert.equal(await refused({ nfs: { server: 's', path: '/' } }), undefined);
  });

  it('refuses disks that cannot be looked up', async () => {
    assert.equal(
      await refused({ awsElasticBlockStore: { volumeID: 'd' } }),
      `${head}AWS EBS volume d: unable to build AWS cloud provider for EBS`,
    );
    assert.equal(
      await refused({ gcePersistentDisk: { pdName: 'd' } }),
      `${head}GCE PD volume d: unable to build GCE cloud provider for PD`,
    );
    assert.equal(
      await refused({ azureDisk: { diskName: 'd' } }),
      `${head}AzureDisk volume d: unable to build Azure cloud provider for AzureDisk`,
    );
    assert.equal(
      await refused({ cinder: { volumeID: 'd' } }),
      `${head}Cinder volume d: unable to build OpenStack cloud provider for Cinder disk`,
    );
    assert.equal(
      await refused({ vsphereVolume: { volumePath: 'd' } }),
      `${head}vSphere Volume d: unable to build vSphere cloud provider`,
    );
  });

  it('trusts the labels of a provisioner', async () => {
    const provisioned = (labels: object) => ({ labels, annotations: { 'pv.kubernetes.io/provisioned-by': 'x' } });
    const disk = { gcePersistentDisk: { pdName: 'd' } };
    assert.equal(
      await refused(disk, provisioned({ 'topology.kubernetes.io/zone': 'z', 'topology.kubernetes.io/region': 'r' })),
      undefined,
    );
    assert.equal(
      await refused(
        disk,
        provisioned({ 'failure-domain.beta.kubernetes.io/zone': 'z', 'failure-domain.beta.kubernetes.io/region': 'r' }),
      ),
      undefined,
    );
    assert.notEqual(await refused(disk, provisioned({ 'topology.kubernetes.io/zone': 'z' })), undefined);
    assert.notEqual(
      await refused(disk, { labels: { 'topology.kubernetes.io/zone': 'z', 'topology.kubernetes.io/region': 'r' } }),
      undefined,
    );
  });

  it('checks new volumes only, and no disks that are yet to be created', async () => {
    assert.equal(await refused({ cinder: { volumeID: 'd' } }, {}, { operation: 'UPDATE' }), undefined);
    assert.equal(await refused({ cinder: { volumeID: 'placeholder-for-provisioning' } }), undefined);
  });
});
