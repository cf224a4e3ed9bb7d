import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { controllerManagerOptions } from '../options/controller-manager-options.ts';
import { parseOptions } from '../options/parse-options.ts';
import { readControllersConfig } from './read-controllers-config.ts';

describe('what options say to controllers', () => {
  let directory: string;
  before(() => {
    directory = mkdtempSync(path.join(tmpdir(), 'binnacle-recycler-'));
  });
  after(() => rmSync(directory, { recursive: true, force: true }));
  const recyclers = (args: readonly string[]) =>
    readControllersConfig(parseOptions(controllerManagerOptions, 'controller-manager', args)).volumes.recyclers;

  it('says how volumes are recycled', () => {
    const file = path.join(directory, 'pod.yaml');
    writeFileSync(file, 'metadata: {namespace: infra}\nspec:\n  volumes: [{name: data}]\n  containers: []\n');
    const { hostPath, nfs } = recyclers([
      '--pv-recycler-minimum-timeout-hostpath=5',
      '--pv-recycler-timeout-increment-hostpath=6',
      '--pv-recycler-minimum-timeout-nfs=7',
      '--pv-recycler-increment-timeout-nfs=8',
      `--pv-recycler-pod-template-filepath-nfs=${file}`,
    ]);
    assert.deepEqual(hostPath, { minimumSeconds: 5, incrementSeconds: 6 });
    assert.deepEqual([nfs.minimumSeconds, nfs.incrementSeconds, nfs.template?.metadata.namespace], [7, 8, 'infra']);
  });

  it('refuses a pod without a volume', () => {
    const file = path.join(directory, 'empty.yaml');
    writeFileSync(file, 'spec: {containers: []}\n');
    assert.throws(
      () => recyclers([`--pv-recycler-pod-template-filepath-hostpath=${file}`]),
      /--pv-recycler-pod-template-filepath-hostpath: the pod has no volume to recycle/,
    );
  });
});
