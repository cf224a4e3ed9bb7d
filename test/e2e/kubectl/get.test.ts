import assert from 'node:assert/strict';
import { eachKubectl } from './each-version.ts';
import { configMap, deployment, documents, node, pod } from './manifests.ts';
import { lines, rows } from './printed.ts';

eachKubectl('get', (bench) => {
  before(async () => {
    const { kubectl } = bench();
    await kubectl.input(
      documents(
        pod('first', { app: 'a', tier: 'front' }),
        pod('second', { app: 'b', tier: 'front' }),
        pod('third', { app: 'c' }, { nodeName: 'get-node' }),
        deployment('web', 'nginx:1.25', 2),
        configMap('settings', { size: 'large' }, { app: 'a' }),
        node('get-node', { zone: 'z1' }),
      ),
    ).ok`create -f -`;
  });

  it('prints tables, short and wide', async () => {
    const { kubectl } = bench();
    assert.deepEqual(rows(await kubectl.ok`get pods`), [
      ['NAME', 'READY', 'STATUS', 'RESTARTS', 'AGE'],
      ['first', '0/1', 'Pending', '0', 'AGE'],
      ['second', '0/1', 'Pending', '0', 'AGE'],
      ['third', '0/1', 'Pending', '0', 'AGE'],
    ]);
    assert.deepEqual(rows(await kubectl.ok`get po/third -o wide`), [
      ['NAME', 'READY', 'STATUS', 'RESTARTS', 'AGE', 'IP', 'NODE', 'NOMINATED NODE', 'READINESS GATES'],
      ['third', '0/1', 'Pending', '0', 'AGE', '<none>', 'get-node', '<none>', '<none>'],
    ]);
    assert.deepEqual(rows(await kubectl.ok`get deploy web --no-headers`), [['web', '0/2', '0', '0', 'AGE']]);
    assert.deepEqual(rows(await kubectl.ok`get nodes get-node -o wide`)[0], [
      'NAME',
      'STATUS',
      'ROLES',
      'AGE',
      'VERSION',
      'INTERNAL-IP',
      'EXTERNAL-IP',
      'OS-IMAGE',
      'KERNEL-VERSION',
      'CONTAINER-RUNTIME',
    ]);
    assert.equal((await kubectl.run`get jobs`).stderr, 'No resources found in get namespace.\n');
    assert.equal(await kubectl.fails`get pod nobody`, 'Error from server (NotFound): pods "nobody" not found\n');
    assert.equal(await kubectl.fails`get things`, 'error: the server doesn\'t have a resource type "things"\n');
  });

  it('prints the pods that a node agent wrote the status of', async () => {
    const { kubectl, api } = bench();
    await kubectl.input(pod('running', {}, { nodeName: 'get-node' })).ok`create -f -`;
    const answer = await api.patch('/api/v1/namespaces/get/pods/running/status', 'merge', {
      status: {
        phase: 'Running',
        podIP: '10.1.2.3',
        podIPs: [{ ip: '10.1.2.3' }],
        containerStatuses: [
          {
            name: 'main',
            ready: true,
            restartCount: 2,
            image: 'busybox:1.36',
            imageID: 'x',
            state: { running: { startedAt: '2024-01-01T00:00:00Z' } },
          },
        ],
      },
    });
    assert.equal(answer.status, 200);
    assert.deepEqual(rows(await kubectl.ok`get pod running -o wide`)[1], [
      'running',
      '1/1',
      'Running',
      '2',
      'AGE',
      '10.1.2.3',
      'get-node',
      '<none>',
      '<none>',
    ]);
    assert.equal(await kubectl.ok`get pods --field-selector status.phase=Running -o name`, 'pod/running\n');
    await kubectl.ok`delete pod running --now --wait=false`;
    assert.match(await kubectl.ok`get pod running`, /Terminating/);
    await kubectl.ok`delete pod running --force --grace-period=0`;
  });

  it('prints objects as YAML, JSON and names', async () => {
    const { kubectl } = bench();
    const yaml = await kubectl.ok`get configmap settings -o yaml`;
    assert.match(
      yaml,
      /^apiVersion: v1\ndata:\n {2}size: large\nkind: ConfigMap\nmetadata:\n {2}creationTimestamp: "\d{4}-/,
    );
    assert.match(
      yaml,
      /\n {2}name: settings\n {2}namespace: get\n {2}resourceVersion: "\d+"\n {2}uid: [0-9a-f-]{36}\n$/,
    );
    const listed = await kubectl.json`get configmaps`;
    assert.deepEqual(
      [
        listed.apiVersion,
        listed.kind,
        listed.items.map((i: { kind: string; metadata: { name: string } }) => `${i.kind} ${i.metadata.name}`),
      ],
      ['v1', 'List', ['ConfigMap settings']],
    );
    assert.equal(
      await kubectl.ok`get pods,deployments -o name`,
      'pod/first\npod/second\npod/third\ndeployment.apps/web\n',
    );
  });

  it('prints by jsonpath, go-template and custom columns', async () => {
    const { kubectl } = bench();
    assert.equal(
      await kubectl.ok`get pods -o jsonpath=${'{range .items[*]}{.metadata.name}={.metadata.labels.app}{"\\n"}{end}'}`,
      'first=a\nsecond=b\nthird=c\n',
    );
    assert.equal(
      await kubectl.ok`get pods -o jsonpath=${'{.items[?(@.spec.nodeName=="get-node")].metadata.name}'}`,
      'third',
    );
    assert.equal(
      await kubectl.ok`get pods -o go-template=${'{{range .items}}{{.metadata.name}} {{end}}'}`,
      'first second third ',
    );
    assert.deepEqual(
      rows(
        await kubectl.ok`get pods -o custom-columns=${'POD:.metadata.name,IMAGE:.spec.containers[0].image,NODE:.spec.nodeName'}`,
      ),
      [
        ['POD', 'IMAGE', 'NODE'],
        ['first', 'busybox:1.36', '<none>'],
        ['second', 'busybox:1.36', '<none>'],
        ['third', 'busybox:1.36', 'get-node'],
      ],
    );
  });

  it('selects by label and by field', async () => {
    const { kubectl } = bench();
    const names = async (...selection: string[]): Promise<string[]> =>
      lines((await kubectl.run`get pods -o name ${selection[0]!} ${selection[1]!}`).stdout);
    assert.deepEqual(await names('-l', 'tier=front,app!=a'), ['pod/second']);
    assert.deepEqual(await names('-l', 'app in (a,c)'), ['pod/first', 'pod/third']);
    assert.deepEqual(await names('-l', '!tier'), ['pod/third']);
    assert.deepEqual(await names('--field-selector', 'spec.nodeName=get-node'), ['pod/third']);
    assert.deepEqual(await names('--field-selector', 'metadata.name!=first,status.phase=Pending'), [
      'pod/second',
      'pod/third',
    ]);
    assert.match(
      await kubectl.fails`get pods --field-selector spec.color=red`,
      /Error from server \(BadRequest\): Unable to find "\/v1, Resource=pods" that match label selector "", field selector "spec\.color=red": field label not supported: spec\.color/,
    );
    assert.match(await kubectl.fails`get pods -l ${'a in b'}`, /unable to parse requirement/);
  });

  it('prints labels, sorts, and takes several kinds', async () => {
    const { kubectl } = bench();
    assert.deepEqual(rows(await kubectl.ok`get pods first -L app,tier --show-labels`), [
      ['NAME', 'READY', 'STATUS', 'RESTARTS', 'AGE', 'APP', 'TIER', 'LABELS'],
      ['first', '0/1', 'Pending', '0', 'AGE', 'a', 'front', 'app=a,tier=front'],
    ]);
    assert.deepEqual(
      rows(await kubectl.ok`get pods --sort-by=.metadata.name --no-headers`).map((row) => row[0]),
      ['first', 'second', 'third'],
    );
    assert.deepEqual(lines(await kubectl.ok`get pods --sort-by=${'{.metadata.labels.app}'} -o name`), [
      'pod/first',
      'pod/second',
      'pod/third',
    ]);
    assert.deepEqual(rows(await kubectl.ok`get configmap/settings pod/first`), [
      ['NAME', 'DATA', 'AGE'],
      ['configmap/settings', '1', 'AGE'],
      ['NAME', 'READY', 'STATUS', 'RESTARTS', 'AGE'],
      ['pod/first', '0/1', 'Pending', '0', 'AGE'],
    ]);
    assert.deepEqual(lines(await kubectl.ok`get all -o name`), [
      'pod/first',
      'pod/second',
      'pod/third',
      'deployment.apps/web',
    ]);
    assert.deepEqual(rows(await kubectl.ok`get pods.v1. first`)[1]![0], 'first');
    assert.deepEqual(rows(await kubectl.ok`get deployments.v1.apps web`)[1]![0], 'web');
  });

  it('looks into all namespaces', async () => {
    const { kubectl } = bench();
    await kubectl.ok`create namespace get-second`;
    await kubectl.inNamespace('get-second').ok`create configmap settings`;
    await kubectl.ok`label configmap settings spread=yes`;
    await kubectl.inNamespace('get-second').ok`label configmap settings spread=yes`;
    // In the order of their keys in the store, where a slash follows the namespace.
    assert.deepEqual(rows(await kubectl.ok`get configmaps -A -l spread=yes`), [
      ['NAMESPACE', 'NAME', 'DATA', 'AGE'],
      ['get-second', 'settings', '0', 'AGE'],
      ['get', 'settings', '1', 'AGE'],
    ]);
    assert.match(
      await kubectl.ok`get services --all-namespaces`,
      /^default +kubernetes +ClusterIP +10\.0\.0\.1 +<none> +443\/TCP/m,
    );
  });

  it('prints subresources', async () => {
    const { kubectl } = bench();
    assert.deepEqual(rows(await kubectl.ok`get deployment web --subresource=status`)[1], [
      'web',
      '0/2',
      '0',
      '0',
      'AGE',
    ]);
    const scale = await kubectl.json`get deployment web --subresource=scale`;
    assert.deepEqual([scale.kind, scale.apiVersion, scale.spec.replicas], ['Scale', 'autoscaling/v1', 2]);
  });

  it('reads large lists in chunks', async () => {
    const { kubectl, api } = bench();
    const many = kubectl.inNamespace('get-many');
    await kubectl.ok`create namespace get-many`;
    const made = await Promise.all(
      Array.from({ length: 520 }, (_, i) =>
        api.post('/api/v1/namespaces/get-many/configmaps', configMap(`item-${String(i).padStart(3, '0')}`)),
      ),
    );
    assert.ok(made.every((answer) => answer.status === 201));
    for (const [flag, requests] of [
      ['--chunk-size=500', 2],
      ['--chunk-size=200', 3],
      ['--chunk-size=0', 1],
    ] as const) {
      const { stdout, stderr } = await many.run`get configmaps ${flag} -o name -v=6`;
      const found = lines(stdout);
      assert.deepEqual([found.length, found[0], found[519]], [520, 'configmap/item-000', 'configmap/item-519'], flag);
      assert.equal(
        lines(stderr).filter((line) => line.includes('/namespaces/get-many/configmaps')).length,
        requests,
        stderr,
      );
    }
    assert.equal(rows(await many.ok`get configmaps --no-headers`).length, 520);
  });

  it('watches', async () => {
    const { kubectl } = bench();
    const all = kubectl.start`get configmaps -l watched=yes --watch`;
    const later = kubectl.start`get configmaps -l watched=yes --watch-only --output-watch-events`;
    try {
      await kubectl.input(configMap('seen', { a: '1' }, { watched: 'yes' })).ok`create -f -`;
      await all.until((text) => text.includes('seen'));
      await kubectl.ok`patch configmap seen -p ${'{"data":{"b":"2"}}'}`;
      await all.until((text) => /seen +2 /.test(text));
      await kubectl.ok`delete configmap seen`;
      await later.until((text) => text.includes('DELETED'));
      assert.deepEqual(rows(all.stdout).slice(0, 3), [
        ['NAME', 'DATA', 'AGE'],
        ['seen', '1', 'AGE'],
        ['seen', '2', 'AGE'],
      ]);
      assert.deepEqual(rows(later.stdout), [
        ['EVENT', 'NAME', 'DATA', 'AGE'],
        ['ADDED', 'seen', '1', 'AGE'],
        ['MODIFIED', 'seen', '2', 'AGE'],
        ['DELETED', 'seen', '2', 'AGE'],
      ]);
    } finally {
      await Promise.all([all.stop(), later.stop()]);
    }
  });

  it('watches what is there already', async () => {
    const { kubectl } = bench();
    const one = kubectl.start`get pod first --watch`;
    try {
      await one.until((text) => /first +0\/1 +Pending/.test(text));
      await kubectl.ok`label pod first seen=yes`;
      await one.until((text) => text.split('\n').length >= 4);
      assert.deepEqual(rows(one.stdout), [
        ['NAME', 'READY', 'STATUS', 'RESTARTS', 'AGE'],
        ['first', '0/1', 'Pending', '0', 'AGE'],
        ['first', '0/1', 'Pending', '0', 'AGE'],
      ]);
    } finally {
      await one.stop();
    }
  });

  it('reads any path', async () => {
    const { kubectl } = bench();
    assert.equal(await kubectl.ok`get --raw /healthz`, 'ok');
    assert.match(await kubectl.ok`get --raw /readyz?verbose`, /\[\+\]ping ok\n(.*\n)*readyz check passed\n/);
    assert.equal(JSON.parse(await kubectl.ok`get --raw /version`).major, '1');
    const { paths } = JSON.parse(await kubectl.ok`get --raw /`);
    assert.deepEqual(
      paths.filter((path: string) => /^\/apis?\/(v1|apps|batch)/.test(path)),
      [
        '/api/v1',
        '/apis/apps',
        '/apis/apps/v1',
        '/apis/apps/v1beta1',
        '/apis/apps/v1beta2',
        '/apis/batch',
        '/apis/batch/v1',
        '/apis/batch/v1beta1',
      ],
    );
    assert.equal(JSON.parse(await kubectl.ok`get --raw /api/v1/namespaces/get/configmaps/settings`).data.size, 'large');
    assert.match(await kubectl.ok`get --raw /metrics`, /^apiserver_request_total\{/m);
    assert.match(
      await kubectl.fails`get --raw /nowhere`,
      /Error from server \(NotFound\): the server could not find the requested resource/,
    );
  });
});
