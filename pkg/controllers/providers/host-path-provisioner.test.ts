import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { PersistentVolume } from '../../generated/types/core-v1.ts';
import { HostPathProvisioner } from './host-path-provisioner.ts';

const volumeAt = (directory: string): PersistentVolume => ({
  metadata: { name: 'v' },
  spec: { hostPath: { path: directory } },
  status: {},
});

describe('the host path provisioner', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync('/tmp/binnacle-host-path-');
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it('makes directories, and removes them', async () => {
    const provisioner = new HostPathProvisioner(true, root);
    const { source } = await provisioner.provision();
    const directory = source.hostPath!.path;
    assert.ok(existsSync(directory));
    await provisioner.delete(volumeAt(directory));
    assert.ok(!existsSync(directory));
    assert.ok(existsSync(root));
  });

  it('removes nothing outside of its own directory', async () => {
    const provisioner = new HostPathProvisioner(true, path.join(root, 'own'));
    const other = path.join(root, 'other');
    mkdirSync(other);
    mkdirSync(path.join(root, 'own'));
    for (const directory of [other, `${root}/own/../other`, `${root}/own/.`, `${root}/own/..`])
      await provisioner.delete(volumeAt(directory));
    assert.ok(existsSync(other));
    assert.ok(existsSync(path.join(root, 'own')));
  });

  it('says where volumes may be deleted', async () => {
    await assert.rejects(
      new HostPathProvisioner(false).delete(volumeAt('/data')),
      /host_path deleter only supports \/tmp\/\.\+ but received provided \/data/,
    );
  });
});
