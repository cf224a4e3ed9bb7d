import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eachKubectl } from './each-version.ts';
import { configMap, deployment, documents, list, pod } from './manifests.ts';
import { rows } from './printed.ts';

eachKubectl('create', (bench) => {
  let dir: string;
  before(() => {
    dir = mkdtempSync(join(tmpdir(), 'binnacle-create-'));
    writeFileSync(join(dir, 'key.txt'), 'from a file');
    writeFileSync(join(dir, 'settings.env'), 'ONE=1\nTWO=two words\n');
  });
  after(() => rmSync(dir, { recursive: true, force: true }));

  describe('from files', () => {
    it('creates what a YAML file says, once', async () => {
      const { kubectl } = bench();
      const file = join(dir, 'web.yaml');
      writeFileSync(
        file,
        'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: from-yaml\ndata:\n  text: |\n    two\n    lines\n---\napiVersion: v1\nkind: ServiceAccount\nmetadata: {name: from-yaml}\n',
      );
      assert.equal(
        await kubectl.ok`create -f ${file}`,
        'configmap/from-yaml created\nserviceaccount/from-yaml created\n',
      );
      assert.equal(await kubectl.ok`get configmap from-yaml -o jsonpath={.data.text}`, 'two\nlines\n');
      assert.equal(
        await kubectl.fails`create -f ${file}`,
        `Error from server (AlreadyExists): error when creating "${file}": configmaps "from-yaml" already exists\nError from server (AlreadyExists): error when creating "${file}": serviceaccounts "from-yaml" already exists\n`,
      );
    });

    it('creates every object of a List and of a stream of documents', async () => {
      const { kubectl } = bench();
      assert.equal(
        await kubectl.input(list(configMap('in-list'), deployment('in-list'))).ok`create -f -`,
        'configmap/in-list created\ndeployment.apps/in-list created\n',
      );
      assert.equal(
        await kubectl.input(documents(pod('in-stream'), configMap('in-stream'))).ok`create -f -`,
        'pod/in-stream created\nconfigmap/in-stream created\n',
      );
    });

    it('makes names for generateName', async () => {
      const { kubectl } = bench();
      const job = {
        apiVersion: 'batch/v1',
        kind: 'Job',
        metadata: { generateName: 'once-' },
        spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'a', image: 'busybox' }] } } },
      };
      assert.match(await kubectl.input(job).ok`create -f -`, /^job\.batch\/once-[a-z0-9]{5} created\n$/);
    });

    it('says which field is wrong', async () => {
      const { kubectl } = bench();
      const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'Not_A_Name' } };
      assert.match(
        await kubectl.input(object).fails`create -f -`,
        /^The ConfigMap "Not_A_Name" is invalid: metadata\.name: Invalid value: "Not_A_Name": a lowercase RFC 1123 subdomain must consist of/,
      );
      const unknown = { ...configMap('unknown-field'), extra: 1, dat: {} };
      const refused = await kubectl.input(unknown).fails`create -f -`;
      assert.match(
        refused,
        /ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "dat", unknown field "extra"/,
      );
      assert.match(await kubectl.input(unknown).ok`create -f - --validate=false`, /configmap\/unknown-field created/);
      const several = {
        ...deployment('several-faults'),
        spec: {
          replicas: -1,
          selector: { matchLabels: { a: 'b' } },
          template: { metadata: { labels: { a: 'c' } }, spec: { containers: [] } },
        },
      };
      const faults = await kubectl.input(several).fails`create -f -`;
      assert.match(faults, /^The Deployment "several-faults" is invalid: \n/);
      for (const fault of [
        '* spec.replicas: Invalid value: -1: must be greater than or equal to 0',
        '* spec.template.metadata.labels: Invalid value: {"a":"c"}: `selector` does not match template `labels`',
        '* spec.template.spec.containers: Required value',
      ])
        assert.ok(faults.includes(fault), faults);
    });

    it('knows no such kind', async () => {
      assert.match(
        await bench().kubectl.input({ apiVersion: 'example.com/v1', kind: 'Thing', metadata: { name: 'x' } })
          .fails`create -f -`,
        /no matches for kind "Thing" in version "example\.com\/v1"/,
      );
    });

    it('posts to any path with --raw', async () => {
      const { kubectl } = bench();
      const answer = JSON.parse(
        await kubectl.input(configMap('raw')).ok`create --raw /api/v1/namespaces/create/configmaps -f -`,
      );
      assert.equal(answer.metadata.name, 'raw');
      assert.match(answer.metadata.uid, /^[0-9a-f-]{36}$/);
    });
  });

  describe('generators', () => {
    it('make workloads', async () => {
      const { kubectl } = bench();
      assert.equal(
        await kubectl.ok`create deployment web --image=nginx:1.25 --image=redis:7 --replicas=2`,
        'deployment.apps/web created\n',
      );
      assert.equal(
        await kubectl.ok`create deployment shell --image=busybox --port=80 -- sleep 1d`,
        'deployment.apps/shell created\n',
      );
      assert.deepEqual(rows(await kubectl.ok`get deployments web shell -o wide`), [
        ['NAME', 'READY', 'UP-TO-DATE', 'AVAILABLE', 'AGE', 'CONTAINERS', 'IMAGES', 'SELECTOR'],
        ['web', '0/2', '0', '0', 'AGE', 'nginx,redis', 'nginx:1.25,redis:7', 'app=web'],
        ['shell', '0/1', '0', '0', 'AGE', 'busybox', 'busybox', 'app=shell'],
      ]);
      assert.equal(await kubectl.ok`create job once --image=busybox -- echo ${'a b'}`, 'job.batch/once created\n');
      assert.equal(
        await kubectl.ok`create cronjob nightly --image=busybox --schedule=${'0 3 * * *'}`,
        'cronjob.batch/nightly created\n',
      );
      assert.equal(await kubectl.ok`create job by-hand --from=cronjob/nightly`, 'job.batch/by-hand created\n');
      const job = await kubectl.json`get job by-hand`;
      assert.equal(job.metadata.annotations['cronjob.kubernetes.io/instantiate'], 'manual');
      assert.equal(job.metadata.ownerReferences[0].name, 'nightly');
      assert.deepEqual(
        rows(await kubectl.ok`get cronjob nightly`)[1]!.filter((cell) => cell !== '<none>'),
        ['nightly', '0 3 * * *', 'False', '0', 'AGE'],
      );
      assert.equal(
        await kubectl.ok`run alone --image=busybox --labels=a=b --env=X=1 --restart=Never`,
        'pod/alone created\n',
      );
      assert.deepEqual(rows(await kubectl.ok`get pod alone --show-labels`)[1], [
        'alone',
        '0/1',
        'Pending',
        '0',
        'AGE',
        'a=b',
      ]);
    });

    it('make configuration', async () => {
      const { kubectl } = bench();
      assert.equal(
        await kubectl.ok`create configmap settings --from-literal=a=1 --from-file=${join(dir, 'key.txt')} --from-file=own=${join(dir, 'key.txt')}`,
        'configmap/settings created\n',
      );
      assert.deepEqual((await kubectl.json`get configmap settings`).data, {
        a: '1',
        'key.txt': 'from a file',
        own: 'from a file',
      });
      assert.equal(
        await kubectl.ok`create configmap env --from-env-file=${join(dir, 'settings.env')}`,
        'configmap/env created\n',
      );
      assert.equal(await kubectl.ok`get configmap env -o jsonpath={.data.TWO}`, 'two words');
      assert.equal(
        await kubectl.ok`create secret generic password --from-literal=user=root --from-literal=pass=${'s3cret!'}`,
        'secret/password created\n',
      );
      assert.equal(
        await kubectl.ok`get secret password -o go-template=${'{{.type}} {{.data.pass | base64decode}}'}`,
        'Opaque s3cret!',
      );
      assert.equal(
        await kubectl.ok`create secret docker-registry registry --docker-server=r.example --docker-username=u --docker-password=p`,
        'secret/registry created\n',
      );
      assert.deepEqual(rows(await kubectl.ok`get secret registry`)[1], [
        'registry',
        'kubernetes.io/dockerconfigjson',
        '1',
        'AGE',
      ]);
      assert.equal(await kubectl.ok`create serviceaccount robot`, 'serviceaccount/robot created\n');
      assert.equal(
        await kubectl.ok`create quota compute --hard=pods=10,cpu=2,requests.memory=1Gi`,
        'resourcequota/compute created\n',
      );
      assert.deepEqual((await kubectl.json`get quota compute`).spec.hard, {
        pods: '10',
        cpu: '2',
        'requests.memory': '1Gi',
      });
    });

    it('make services and ingresses', async () => {
      const { kubectl } = bench();
      assert.equal(await kubectl.ok`create service clusterip inside --tcp=80:8080`, 'service/inside created\n');
      assert.equal(
        await kubectl.ok`create service nodeport outside --tcp=80:8080 --node-port=30023`,
        'service/outside created\n',
      );
      assert.equal(await kubectl.ok`create service loadbalancer balanced --tcp=443:8443`, 'service/balanced created\n');
      assert.equal(
        await kubectl.ok`create service externalname away --external-name=example.com`,
        'service/away created\n',
      );
      assert.equal(
        await kubectl.ok`create service clusterip headless --clusterip=None --tcp=80`,
        'service/headless created\n',
      );
      const table = new Map(rows(await kubectl.ok`get services`).map((row) => [row[0], row]));
      assert.match(table.get('inside')![2]!, /^10\.0\.0\.\d+$/);
      assert.deepEqual(table.get('inside')!.toSpliced(2, 1), ['inside', 'ClusterIP', '<none>', '80/TCP', 'AGE']);
      assert.deepEqual(table.get('outside')!.toSpliced(2, 1), ['outside', 'NodePort', '<none>', '80:30023/TCP', 'AGE']);
      assert.match(
        table.get('balanced')!.join(' '),
        /^balanced LoadBalancer 10\.0\.0\.\d+ <pending> 443:3\d{4}\/TCP AGE$/,
      );
      assert.deepEqual(table.get('away'), ['away', 'ExternalName', '<none>', 'example.com', '<none>', 'AGE']);
      assert.deepEqual(table.get('headless'), ['headless', 'ClusterIP', 'None', '<none>', '80/TCP', 'AGE']);
      assert.match(
        await kubectl.fails`create service nodeport again --tcp=80 --node-port=30023`,
        /Service "again" is invalid: spec\.ports\[0\]\.nodePort: Invalid value: 30023: provided port is already allocated/,
      );
      assert.equal(
        await kubectl.ok`create ingress site --class=public --rule=${'example.com/*=inside:80'} --rule=${'www.example.com/a=inside:80,tls=cert'}`,
        'ingress.networking.k8s.io/site created\n',
      );
      assert.deepEqual(rows(await kubectl.ok`get ingress site`), [
        ['NAME', 'CLASS', 'HOSTS', 'ADDRESS', 'PORTS', 'AGE'],
        ['site', 'public', 'example.com,www.example.com', '80, 443', 'AGE'],
      ]);
    });

    it('make access rules', async () => {
      const { kubectl } = bench();
      assert.equal(
        await kubectl.ok`create role reader --verb=get,list --resource=pods,deployments.apps --resource-name=a`,
        'role.rbac.authorization.k8s.io/reader created\n',
      );
      assert.deepEqual((await kubectl.json`get role reader`).rules, [
        { apiGroups: [''], resourceNames: ['a'], resources: ['pods'], verbs: ['get', 'list'] },
        { apiGroups: ['apps'], resourceNames: ['a'], resources: ['deployments'], verbs: ['get', 'list'] },
      ]);
      assert.equal(
        await kubectl.ok`create rolebinding readers --role=reader --user=eve --serviceaccount=create:robot`,
        'rolebinding.rbac.authorization.k8s.io/readers created\n',
      );
      assert.deepEqual(rows(await kubectl.ok`get rolebinding readers -o wide`), [
        ['NAME', 'ROLE', 'AGE', 'USERS', 'GROUPS', 'SERVICEACCOUNTS'],
        ['readers', 'Role/reader', 'AGE', 'eve', 'create/robot'],
      ]);
      assert.equal(
        await kubectl.ok`create clusterrole create-logs --verb=get --non-resource-url=/logs`,
        'clusterrole.rbac.authorization.k8s.io/create-logs created\n',
      );
      assert.equal(
        await kubectl.ok`create clusterrole create-all --aggregation-rule=part=all`,
        'clusterrole.rbac.authorization.k8s.io/create-all created\n',
      );
      assert.equal(
        await kubectl.ok`create clusterrolebinding create-logs --clusterrole=create-logs --group=ops`,
        'clusterrolebinding.rbac.authorization.k8s.io/create-logs created\n',
      );
      assert.equal((await kubectl.json`get clusterrolebinding create-logs`).roleRef.name, 'create-logs');
    });

    it('make policies and namespaces', async () => {
      const { kubectl } = bench();
      assert.equal(
        await kubectl.ok`create pdb careful --selector=app=web --min-available=1`,
        'poddisruptionbudget.policy/careful created\n',
      );
      assert.deepEqual(rows(await kubectl.ok`get pdb careful`), [
        ['NAME', 'MIN AVAILABLE', 'MAX UNAVAILABLE', 'ALLOWED DISRUPTIONS', 'AGE'],
        ['careful', '1', 'N/A', '0', 'AGE'],
      ]);
      assert.equal(
        await kubectl.ok`create priorityclass create-high --value=1000 --description=${'goes first'}`,
        'priorityclass.scheduling.k8s.io/create-high created\n',
      );
      assert.deepEqual(rows(await kubectl.ok`get priorityclass create-high`)[1]!.slice(0, 3), [
        'create-high',
        '1000',
        'false',
      ]);
      assert.equal(await kubectl.ok`create namespace create-other`, 'namespace/create-other created\n');
      assert.deepEqual(rows(await kubectl.ok`get namespace create-other`), [
        ['NAME', 'STATUS', 'AGE'],
        ['create-other', 'Active', 'AGE'],
      ]);
      assert.equal(await kubectl.inNamespace('create-other').ok`get serviceaccount robot --ignore-not-found`, '');
      assert.match(await kubectl.inNamespace('nowhere').fails`create configmap x`, /namespaces "nowhere" not found/);
    });

    it('say of definitions that their resources are not served', async () => {
      const { kubectl } = bench();
      const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }];
      const definition = {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name: 'pandas.bears.example.com' },
        spec: { group: 'bears.example.com', scope: 'Cluster', names: { plural: 'pandas', kind: 'Panda' }, versions },
      };
      const { status, stderr } = await kubectl.input(definition).run`create -f -`;
      assert.deepEqual(
        [status, stderr],
        [0, 'Warning: custom resources are not served yet: the definition is stored, but never becomes Established\n'],
      );
      assert.equal(await kubectl.fails`get pandas`, 'error: the server doesn\'t have a resource type "pandas"\n');
    });

    it('show what they would make', async () => {
      const { kubectl } = bench();
      assert.equal(
        await kubectl.ok`create deployment dry --image=nginx --dry-run=server`,
        'deployment.apps/dry created (server dry run)\n',
      );
      assert.equal(
        await kubectl.ok`create deployment dry --image=nginx --dry-run=client`,
        'deployment.apps/dry created (dry run)\n',
      );
      assert.match(
        await kubectl.ok`create deployment dry --image=nginx --dry-run=client -o yaml`,
        /^apiVersion: apps\/v1\nkind: Deployment\nmetadata:\n/,
      );
      assert.equal(
        (await kubectl.json`create deployment dry --image=nginx --dry-run=server`).spec.progressDeadlineSeconds,
        600,
      );
      assert.equal(
        await kubectl.fails`get deployment dry`,
        'Error from server (NotFound): deployments.apps "dry" not found\n',
      );
    });
  });
});
