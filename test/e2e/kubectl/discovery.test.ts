import assert from 'node:assert/strict';
import { eachKubectl } from './each-version.ts';
import { lines, rows } from './printed.ts';

eachKubectl('discovery', (bench) => {
  it('lists what there is', async () => {
    const { kubectl } = bench();
    const table = (await kubectl.ok`api-resources`).split('\n');
    assert.match(table[0]!, /^NAME +SHORTNAMES +APIVERSION +NAMESPACED +KIND$/);
    const row = (name: string): string | undefined =>
      table.find((line) => line.startsWith(`${name} `))?.replaceAll(/ +/g, ' ');
    assert.equal(row('pods'), 'pods po v1 true Pod');
    assert.equal(row('nodes'), 'nodes no v1 false Node');
    assert.equal(row('deployments'), 'deployments deploy apps/v1 true Deployment');
    assert.equal(row('cronjobs'), 'cronjobs cj batch/v1 true CronJob');
    assert.equal(
      row('horizontalpodautoscalers'),
      'horizontalpodautoscalers hpa autoscaling/v2 true HorizontalPodAutoscaler',
    );
    assert.equal(row('storageclasses'), 'storageclasses sc storage.k8s.io/v1 false StorageClass');
    assert.equal(row('resourceclaims'), 'resourceclaims resource.k8s.io/v1 true ResourceClaim');
    const wide = (await kubectl.ok`api-resources -o wide --api-group=apps`)
      .split('\n')
      .map((line) => line.replaceAll(/ +/g, ' '));
    assert.ok(
      wide.some((line) =>
        /^deployments deploy apps\/v1 true Deployment (create,delete,deletecollection,get,list,patch,update,watch|\[create delete deletecollection get list patch update watch\])( all)?/.test(
          line,
        ),
      ),
      wide.join('\n'),
    );
    assert.deepEqual(lines(await kubectl.ok`api-resources --api-group=apps -o name`), [
      'controllerrevisions.apps',
      'daemonsets.apps',
      'deployments.apps',
      'replicasets.apps',
      'statefulsets.apps',
    ]);
    const cluster = lines(
      await kubectl.ok`api-resources --namespaced=false --api-group=rbac.authorization.k8s.io -o name`,
    );
    assert.deepEqual(cluster, [
      'clusterrolebindings.rbac.authorization.k8s.io',
      'clusterroles.rbac.authorization.k8s.io',
    ]);
    assert.ok(lines(await kubectl.ok`api-resources --verbs=list,create -o name`).includes('secrets'));
  });

  it('lists group versions, the older ones with them', async () => {
    const versions = lines(await bench().kubectl.ok`api-versions`);
    for (const version of [
      'v1',
      'apps/v1',
      'apps/v1beta1',
      'apps/v1beta2',
      'autoscaling/v1',
      'autoscaling/v2',
      'batch/v1',
      'batch/v1beta1',
      'extensions/v1beta1',
      'networking.k8s.io/v1',
      'policy/v1',
      'rbac.authorization.k8s.io/v1',
      'storage.k8s.io/v1',
    ]) {
      assert.ok(versions.includes(version), version);
    }
    assert.deepEqual(versions, versions.toSorted());
  });

  describe('explain', () => {
    it('describes kinds and fields', async () => {
      const { kubectl } = bench();
      const pod = await kubectl.ok`explain pod`;
      assert.match(pod, /^KIND: +Pod\nVERSION: +v1\n\nDESCRIPTION:\n +\S/);
      assert.match(pod, /\nFIELDS:\n/);
      assert.match(pod, /\n {2,3}spec\t<(PodSpec|Object)>\n +\S/);
      const replicas = await kubectl.ok`explain deployment.spec.replicas`;
      assert.match(replicas, /FIELD: +replicas <integer>\n\n+DESCRIPTION:\n +\S/);
      const containers = await kubectl.ok`explain pods.spec.containers`;
      assert.match(containers, /(FIELD|RESOURCE): +containers <\[\](Container|Object)>/);
      assert.match(containers, /\n {2,3}image\t<string>/);
      assert.match(containers, /\n {2,3}name\t<string> -required-\n/);
      assert.match(await kubectl.ok`explain configmap.data`, /FIELD: +data <map\[string\]string>/);
      assert.match(
        await kubectl.ok`explain service.spec.ports.targetPort`,
        /FIELD: +targetPort <(IntOrString|string)>/,
      );
      assert.match(await kubectl.fails`explain pod.spec.colour`, /field "colour" does not exist/);
      assert.match(await kubectl.fails`explain thing`, /the server doesn't have a resource type "thing"/);
    });

    it('goes down to the leaves', async () => {
      const recursive = await bench().kubectl.ok`explain cronjob.spec --recursive`;
      for (const name of [
        'concurrencyPolicy',
        'jobTemplate',
        'schedule',
        'containers',
        'readinessProbe',
        'backoffLimit',
        'topologySpreadConstraints',
      ])
        assert.match(recursive, new RegExp(`\\n +${name}\\t<`), name);
    });

    it('knows several versions', async () => {
      const { kubectl } = bench();
      assert.match(await kubectl.ok`explain hpa --api-version=autoscaling/v1`, /VERSION: +(autoscaling\/)?v1\n/);
      assert.match(
        await kubectl.ok`explain hpa.spec --api-version=autoscaling/v1`,
        /targetCPUUtilizationPercentage\t<integer>/,
      );
      assert.match(
        await kubectl.ok`explain hpa.spec --api-version=autoscaling/v2`,
        /metrics\t<\[\](MetricSpec|Object)>/,
      );
      assert.match(
        await kubectl.ok`explain resourceclaim.spec.devices.requests.exactly`,
        /\n {2,3}deviceClassName\t<string> -required-\n/,
      );
      assert.match(
        await kubectl.ok`explain ingress.spec --api-version=extensions/v1beta1`,
        /rules\t<\[\](IngressRule|Object)>/,
      );
      for (const kind of [
        'node',
        'statefulset',
        'job',
        'secret',
        'ingress',
        'networkpolicy',
        'pvc',
        'storageclass',
        'role',
        'pdb',
        'lease',
        'deviceclass',
        'resourceclaim',
        'resourceclaimtemplate',
        'resourceslice',
      ])
        assert.match(await kubectl.ok`explain ${kind}`, /DESCRIPTION:\n +\S/, kind);
    });
  });

  it('tells versions, addresses and settings', async () => {
    const { kubectl, server } = bench();
    const version = await kubectl.json`version`;
    assert.equal(version.clientVersion.minor, String(kubectl.minor));
    assert.match(version.serverVersion.gitVersion, /^v1\.36\.0/);
    assert.match((await kubectl.run`version`).stdout, /Server Version: .*v1\.36\.0/);
    assert.match(await kubectl.ok`cluster-info`, new RegExp(`is running at.*${server.url}`));
    const config = await kubectl.json`config view`;
    assert.equal(config['current-context'], 'binnacle');
    assert.equal(config.clusters[0].cluster.server, server.url);
    assert.equal(config.users[0].user.token, 'REDACTED');
    assert.equal(await kubectl.ok`config current-context`, 'binnacle\n');
    assert.deepEqual(rows(await kubectl.ok`config get-contexts --no-headers`)[0]!.slice(0, 3), [
      '*',
      'binnacle',
      'binnacle',
    ]);
  });

  it('answers who may do what', async () => {
    const { kubectl } = bench();
    assert.equal(await kubectl.ok`auth can-i create pods`, 'yes\n');
    assert.equal(await kubectl.ok`auth can-i ${'*'} ${'*'}`, 'yes\n');
    assert.match(await kubectl.ok`auth can-i --list`, /^Resources +Non-Resource URLs +Resource Names +Verbs\n/);
    if (kubectl.minor >= 28) {
      const me = await kubectl.json`auth whoami`;
      assert.equal(me.kind, 'SelfSubjectReview');
      assert.ok(me.status.userInfo.username.length > 0);
    }
  });

  it('refuses clients without a token', async () => {
    const { kubectl } = bench();
    assert.match(
      await kubectl.fails`get pods --token=wrong`,
      /error: You must be logged in to the server \(Unauthorized\)/,
    );
  });
});
