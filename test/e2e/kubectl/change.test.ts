import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eachKubectl } from './each-version.ts';
import { configMap, deployment, documents, pod } from './manifests.ts';
import { lines } from './printed.ts';

eachKubectl('change', (bench) => {
  let dir: string;
  before(async () => {
    dir = mkdtempSync(join(tmpdir(), 'binnacle-change-'));
    await bench().kubectl.input(
      documents(
        deployment('web'),
        configMap('settings', { a: '1' }),
        pod('one', { app: 'x' }),
        pod('two', { app: 'x' }),
      ),
    ).ok`create -f -`;
  });
  after(() => rmSync(dir, { recursive: true, force: true }));

  /** An editor that runs a shell command on the file it is given as $1. */
  function editor(command: string): { KUBE_EDITOR: string } {
    const path = join(dir, 'editor');
    writeFileSync(path, `#!/bin/sh\n${command}\n`);
    chmodSync(path, 0o755);
    return { KUBE_EDITOR: path };
  }

  describe('edit', () => {
    it('sends what the editor changed', async () => {
      const { kubectl } = bench();
      assert.equal(
        await kubectl.env(editor('sed -i "s/a: .1./a: edited/" "$1"')).ok`edit configmap settings`,
        'configmap/settings edited\n',
      );
      assert.equal(await kubectl.ok`get configmap settings -o jsonpath={.data.a}`, 'edited');
      assert.equal(
        await kubectl.env(editor('sed -i "s/replicas: 1/replicas: 4/" "$1"')).ok`edit deployment/web`,
        'deployment.apps/web edited\n',
      );
      assert.equal(await kubectl.ok`get deployment web -o jsonpath={.spec.replicas}`, '4');
    });

    it('sends nothing when nothing changed', async () => {
      const { stderr, status } = await bench().kubectl.env(editor('true')).run`edit configmap settings`;
      assert.deepEqual([status, stderr], [0, 'Edit cancelled, no changes made.\n']);
    });

    it('opens the editor again with what the server refused', async () => {
      const { kubectl } = bench();
      const seen = join(dir, 'seen');
      // First a fault, then, given the complaint, nothing more: kubectl keeps the file and says where.
      const { status, stderr } = await kubectl.env(
        editor(
          `if [ -f ${seen} ]; then cp "$1" ${seen}; else touch ${seen}; sed -i "s/replicas: 4/replicas: -4/" "$1"; fi`,
        ),
      ).run`edit deployment web`;
      assert.equal(status, 1);
      assert.match(stderr, /deployments\.apps "web" is invalid/);
      assert.match(
        readFileSync(seen, 'utf8'),
        /# deployments\.apps "web" was not valid:\n# \* spec\.replicas: Invalid value: -4: must be greater than or equal to 0\n/,
      );
      assert.equal(await kubectl.ok`get deployment web -o jsonpath={.spec.replicas}`, '4');
    });

    it('edits several objects and subresources', async () => {
      const { kubectl } = bench();
      assert.equal(
        await kubectl.env(editor('sed -i "s/app: x/app: z/" "$1"')).ok`edit pods one two`,
        'pod/one edited\npod/two edited\n',
      );
      assert.equal(await kubectl.ok`get pods -l app=z -o name`, 'pod/one\npod/two\n');
      assert.match(
        await kubectl.env(editor('sed -i "s/phase: Pending/phase: Running/" "$1"'))
          .ok`edit pod one --subresource=status`,
        /pod\/one edited/,
      );
      assert.equal(await kubectl.ok`get pod one -o jsonpath={.status.phase}`, 'Running');
    });
  });

  describe('patch', () => {
    it('merges strategically', async () => {
      const { kubectl } = bench();
      assert.equal(
        await kubectl.ok`patch deployment web -p ${'{"spec":{"template":{"spec":{"containers":[{"name":"side","image":"busybox"}]}}}}'}`,
        'deployment.apps/web patched\n',
      );
      assert.deepEqual(
        (await kubectl.json`get deployment web`).spec.template.spec.containers.map((c: { name: string }) => c.name),
        ['side', 'web'],
      );
      await kubectl.ok`patch deployment web --type=strategic -p ${'{"spec":{"template":{"spec":{"containers":[{"$patch":"delete","name":"side"}]}}}}'}`;
      await kubectl.ok`patch deployment web -p ${'{"spec":{"strategy":{"$retainKeys":["type"],"type":"Recreate"}}}'}`;
      const { spec } = await kubectl.json`get deployment web`;
      assert.deepEqual(
        [spec.template.spec.containers.map((c: { name: string }) => c.name), spec.strategy],
        [['web'], { type: 'Recreate' }],
      );
    });

    it('merges', async () => {
      const { kubectl } = bench();
      assert.equal(
        await kubectl.ok`patch deployment web --type=merge -p ${'{"spec":{"template":{"spec":{"containers":[{"name":"only","image":"busybox"}]}}}}'}`,
        'deployment.apps/web patched\n',
      );
      assert.equal(
        await kubectl.ok`patch configmap settings --type=merge -p ${'{"data":{"a":null,"b":"2"}}'}`,
        'configmap/settings patched\n',
      );
      assert.deepEqual((await kubectl.json`get configmap settings`).data, { b: '2' });
      assert.equal((await kubectl.json`get deployment web`).spec.template.spec.containers[0].name, 'only');
      assert.equal(
        await kubectl.ok`patch configmap settings --type=merge -p ${'{"data":{"b":"2"}}'}`,
        'configmap/settings patched (no change)\n',
      );
    });

    it('applies JSON patches', async () => {
      const { kubectl } = bench();
      const file = join(dir, 'patch.json');
      writeFileSync(
        file,
        JSON.stringify([
          { op: 'test', path: '/data/b', value: '2' },
          { op: 'add', path: '/metadata/annotations', value: { 'c/d': '4' } },
          { op: 'replace', path: '/metadata/annotations/c~1d', value: '3' },
          { op: 'move', from: '/data/b', path: '/data/e' },
        ]),
      );
      assert.equal(
        await kubectl.ok`patch configmap settings --type=json --patch-file=${file}`,
        'configmap/settings patched\n',
      );
      const { data, metadata } = await kubectl.json`get configmap settings`;
      assert.deepEqual([data, metadata.annotations], [{ e: '2' }, { 'c/d': '3' }]);
      assert.match(
        await kubectl.fails`patch configmap settings --type=json --patch-file=${file}`,
        kubectl.minor < 32
          ? /^The request is invalid\n$/
          : /^The request is invalid: the server rejected our request due to an error in our request\n$/,
      );
      assert.match(
        await kubectl.fails`patch configmap settings --type=json -p ${'[{"op":"hop","path":"/data/b"}]'}`,
        /^The request is invalid|^Error from server \(BadRequest\)/,
      );
    });

    it('reaches subresources, tries without writing, and says what is wrong', async () => {
      const { kubectl } = bench();
      assert.equal(
        await kubectl.ok`patch deployment web --subresource=status --type=merge -p ${'{"status":{"replicas":2,"readyReplicas":1,"updatedReplicas":2}}'}`,
        'deployment.apps/web patched\n',
      );
      assert.match(await kubectl.ok`get deployment web`, /web +1\/4 +2 +0/);
      assert.equal(
        await kubectl.ok`patch deployment web --subresource=scale --type=merge -p ${'{"spec":{"replicas":5}}'}`,
        'scale.autoscaling/web patched\n',
      );
      assert.equal(await kubectl.ok`get deployment web -o jsonpath={.spec.replicas}`, '5');
      assert.equal(
        await kubectl.ok`patch deployment web --dry-run=server -p ${'{"spec":{"replicas":9}}'} -o jsonpath={.spec.replicas}`,
        '9',
      );
      assert.equal(await kubectl.ok`get deployment web -o jsonpath={.spec.replicas}`, '5');
      assert.match(
        await kubectl.fails`patch deployment web -p ${'{"spec":{"replicas":"many"}}'}`,
        /^(The request is invalid|Error from server \(BadRequest\)).*(replicas|many)/s,
      );
      assert.match(
        await kubectl.fails`patch deployment web -p ${'{"spec":{"selector":{"matchLabels":{"a":"b"}}}}'}`,
        /The Deployment "web" is invalid:/,
      );
      assert.equal(
        await kubectl.fails`patch deployment nothing -p {}`,
        'Error from server (NotFound): deployments.apps "nothing" not found\n',
      );
    });
  });

  describe('replace', () => {
    it('replaces what a version still is', async () => {
      const { kubectl } = bench();
      await kubectl.ok`create configmap whole --from-literal=a=1`;
      const read = await kubectl.json`get configmap whole`;
      assert.equal(await kubectl.input({ ...read, data: { b: '2' } }).ok`replace -f -`, 'configmap/whole replaced\n');
      assert.deepEqual((await kubectl.json`get configmap whole`).data, { b: '2' });
      assert.match(
        await kubectl.input({ ...read, data: { c: '3' } }).fails`replace -f -`,
        /^Error from server \(Conflict\): error when replacing "STDIN": Operation cannot be fulfilled on configmaps "whole": the object has been modified; please apply your changes to the latest version and try again\n$/,
      );
      assert.match(
        await kubectl.input(configMap('not-there')).fails`replace -f -`,
        /Error from server \(NotFound\): error when replacing "STDIN": configmaps "not-there" not found/,
      );
    });

    it('deletes and creates when forced', async () => {
      const { kubectl } = bench();
      const { uid } = (await kubectl.json`get pod two`).metadata;
      assert.deepEqual(
        lines(
          await kubectl.input(pod('two', { app: 'z' }, { containers: [{ name: 'other', image: 'busybox' }] }))
            .ok`replace --force --grace-period=0 -f -`,
        ).at(-1),
        'pod/two replaced',
      );
      const { metadata, spec } = await kubectl.json`get pod two`;
      assert.notEqual(metadata.uid, uid);
      assert.equal(spec.containers[0].name, 'other');
    });

    it('replaces status', async () => {
      const { kubectl } = bench();
      const read = await kubectl.json`get pod two`;
      assert.equal(
        await kubectl.input({ ...read, status: { ...read.status, phase: 'Succeeded' } })
          .ok`replace --subresource=status -f -`,
        'pod/two replaced\n',
      );
      assert.match(await kubectl.ok`get pod two`, /two +0\/1 +Succeeded/);
    });
  });

  describe('label and annotate', () => {
    it('set, overwrite and remove labels', async () => {
      const { kubectl } = bench();
      assert.equal(await kubectl.ok`label configmap settings color=red size=small`, 'configmap/settings labeled\n');
      assert.match(
        await kubectl.fails`label configmap settings color=blue`,
        /'color' already has a value \(red\), and --overwrite is false/,
      );
      assert.equal(await kubectl.ok`label configmap settings color=blue --overwrite`, 'configmap/settings labeled\n');
      assert.equal(
        await kubectl.ok`label configmap settings color=blue --overwrite`,
        'configmap/settings not labeled\n',
      );
      assert.equal(await kubectl.ok`label configmap settings size-`, 'configmap/settings unlabeled\n');
      assert.deepEqual((await kubectl.json`get configmap settings`).metadata.labels, { color: 'blue' });
      assert.equal(await kubectl.ok`label configmap settings --list`, 'color=blue\n');
      assert.deepEqual(lines(await kubectl.ok`label pods --all checked=yes`), ['pod/one labeled', 'pod/two labeled']);
      assert.match(await kubectl.fails`label configmap settings ${'bad label=x'}`, /invalid label|is invalid/);
      assert.match(
        await kubectl.fails`label configmap settings later=x --resource-version=1`,
        /Operation cannot be fulfilled on configmaps "settings": the object has been modified/,
      );
    });

    it('set, overwrite and remove annotations', async () => {
      const { kubectl } = bench();
      assert.equal(
        await kubectl.ok`annotate configmap settings note=${'any text: {}'} other=1`,
        'configmap/settings annotated\n',
      );
      assert.match(
        await kubectl.fails`annotate configmap settings note=b`,
        /--overwrite is false but found the following declared annotation\(s\): 'note' already has a value \(any text: \{\}\)/,
      );
      assert.match(
        await kubectl.ok`annotate configmap settings note=b other- --overwrite`,
        /^configmap\/settings annotated\n$/,
      );
      assert.deepEqual((await kubectl.json`get configmap settings`).metadata.annotations, { 'c/d': '3', note: 'b' });
      assert.equal(
        await kubectl.ok`annotate configmap settings dry=1 --dry-run=server`,
        'configmap/settings annotated (server dry run)\n',
      );
      assert.deepEqual(lines(await kubectl.ok`annotate configmap settings --list`).toSorted(), ['c/d=3', 'note=b']);
    });
  });
});
