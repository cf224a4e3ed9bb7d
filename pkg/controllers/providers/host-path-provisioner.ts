import { randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import type { PersistentVolume } from '../../generated/types/core-v1.ts';
import type { ProvisionedVolume, VolumeProvisioner } from './volume-provisioner.ts';

/** Where its volumes are: the one place in which directories are removed. */
const ROOT = '/tmp/hostpath_pv';

/** Directories of the host that the controller manager runs on; for tests on a single machine. */
export class HostPathProvisioner implements VolumeProvisioner {
  readonly name = 'kubernetes.io/host-path';
  readonly supportsMountOptions = false;
  readonly provisions: boolean;
  private readonly root: string;

  constructor(provisions: boolean, root = ROOT) {
    this.provisions = provisions;
    this.root = root;
  }

  owns({ spec }: PersistentVolume): boolean {
    return spec.hostPath !== undefined;
  }

  async provision(): Promise<ProvisionedVolume> {
    const directory = path.join(this.root, randomUUID());
    await mkdir(directory, { recursive: true, mode: 0o750 });
    return {
      source: { hostPath: { path: directory, type: '' } },
      annotations: { 'kubernetes.io/createdby': 'hostpath-dynamic-provisioner' },
      accessModes: ['ReadWriteOnce'],
    };
  }

  /** Users who may create volumes can name any path: data outside of the provisioner's own directory is left alone. */
  async delete({ spec }: PersistentVolume): Promise<void> {
    const directory = spec.hostPath!.path;
    if (!/\/tmp\/.+/.test(directory))
      throw new Error(`host_path deleter only supports /tmp/.+ but received provided ${directory}`);
    const normal = path.normalize(directory);
    if (this.provisions && path.dirname(normal) === this.root) await rm(normal, { recursive: true, force: true });
  }
}
