import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { certificateRequest } from '../../../pkg/net/certificates-testing.ts';
import type { Kubectl } from '../kubectl/kubectl.ts';
import { configMap, deployment, documents } from '../kubectl/manifests.ts';
import { lines, rows } from '../kubectl/printed.ts';
import { eventually, movingCluster } from './moving-cluster.ts';

describe('the life of objects in a cluster', function () {
  this.timeout(120_000);
  const cluster = movingCluster();
  let kubectl: Kubectl;

  before(async () => {
    kubectl = await cluster().inNew('life');
  });

  const names = async (kinds: string, app: string): Promise<string[]> =>
    lines(await kubectl.ok`get ${kinds} --selector=${`app=${app}`} -o name`);

  it('deletes dependents in the background, first, or not at all', async () => {
    const apps = ['background', 'foreground', 'orphan'];
    await kubectl.input(documents(...apps.map((app) => deployment(app, 'nginx:1', 2)))).ok`create -f -`;
    for (const app of apps) await kubectl.ok`rollout status deployment/${app} --timeout=60s`;

    await kubectl.ok`delete deployment background`;
    await eventually(async () => (await names('replicasets,pods', 'background')).length === 0, 'no dependents');

    await kubectl.ok`delete deployment foreground --cascade=foreground --timeout=60s`;
    assert.deepEqual(await names('replicasets,pods', 'foreground'), []);

    await kubectl.ok`delete deployment orphan --cascade=orphan`;
    const [set] = await names('replicasets', 'orphan');
    assert.equal((await names('replicasets,pods', 'orphan')).length, 3);
    assert.equal(await kubectl.ok`get ${set} -o jsonpath={.metadata.ownerReferences}`, '');
    await kubectl.ok`delete ${set} --cascade=orphan`;
    const pods = await names('pods', 'orphan');
    assert.equal(pods.length, 2);
    // The same deployment takes its pods back by way of a replica set of the same name.
    await kubectl.input(deployment('orphan', 'nginx:1', 2)).ok`create -f -`;
    await kubectl.ok`rollout status deployment/orphan --timeout=60s`;
    assert.deepEqual(await names('replicasets', 'orphan'), [set]);
    assert.deepEqual((await names('pods', 'orphan')).sort(), pods.sort());
    await kubectl.ok`delete deployment orphan --cascade=foreground --timeout=60s`;
  });

  it('deletes a namespace with all that is in it', async () => {
    const doomed = await cluster().inNew('doomed');
    await doomed.input(
      documents(
        deployment('web', 'nginx:1', 3),
        ...Array.from({ length: 20 }, (_, i) => configMap(`settings-${i}`, { i: String(i) })),
        {
          apiVersion: 'networking.k8s.io/v1',
          kind: 'NetworkPolicy',
          metadata: { name: 'closed' },
          spec: { podSelector: {}, policyTypes: ['Ingress'] },
        },
        { ...configMap('held'), metadata: { name: 'held', finalizers: ['example.com/hold'] } },
      ),
    ).ok`create -f -`;
    await doomed.ok`create secret generic hidden --from-literal=a=b`;
    await doomed.ok`create serviceaccount robot`;
    await doomed.ok`create role reader --verb=get --resource=pods`;
    await doomed.ok`create rolebinding reader --role=reader --serviceaccount=doomed:robot`;
    await doomed.ok`create cronjob nightly --image=busybox ${'--schedule=0 3 * * *'}`;
    await doomed.ok`create ingress front --rule=a.example.com/=web:80`;
    await doomed.ok`create poddisruptionbudget web --selector=app=web --min-available=1`;
    await doomed.ok`create quota small --hard=pods=10`;
    await doomed.ok`expose deployment web --port=80`;
    await doomed.ok`autoscale deployment web --max=5 --cpu=50%`;
    await doomed.ok`rollout status deployment/web --timeout=60s`;

    await doomed.ok`delete namespace doomed --wait=false`;
    assert.match(await doomed.fails`create configmap late`, /because it is being terminated/);
    await eventually(
      async () => (await kubectl.ok`describe namespace doomed`).includes('SomeFinalizersRemain'),
      'a namespace that waits for a finalizer',
    );
    assert.match(
      await kubectl.ok`describe namespace doomed`,
      /SomeFinalizersRemain +Some content in the namespace has finalizers remaining: example\.com\/hold in 1 resource instances/,
    );
    await doomed.ok`patch configmap held --type=merge -p ${JSON.stringify({ metadata: { finalizers: null } })}`;
    await kubectl.ok`wait --for=delete namespace/doomed --timeout=60s`;
    assert.match((await doomed.run`get all,configmaps,secrets`).stderr, /No resources found/);
  });

  it('binds a claim to a volume, for a pod that waits for it', async () => {
    const spec = {
      accessModes: ['ReadWriteOnce'],
      storageClassName: 'manual',
      resources: { requests: { storage: '1Gi' } },
    };
    await kubectl.input(
      documents(
        { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'data' }, spec },
        {
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { name: 'reader' },
          spec: {
            containers: [{ name: 'a', image: 'app', volumeMounts: [{ name: 'data', mountPath: '/data' }] }],
            volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
          },
        },
      ),
    ).ok`create -f -`;
    await eventually(
      async () => (await kubectl.ok`describe pvc data`).includes('storageclass.storage.k8s.io "manual" not found'),
      'an event of a claim without a class',
    );
    assert.match(await kubectl.ok`get pod reader`, /reader +0\/1 +Pending/);
    await kubectl.input({
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: 'disk' },
      spec: {
        capacity: { storage: '2Gi' },
        accessModes: ['ReadWriteOnce'],
        storageClassName: 'manual',
        persistentVolumeReclaimPolicy: 'Retain',
        hostPath: { path: '/mnt/data' },
      },
    }).ok`create -f -`;
    await kubectl.ok`wait --for=condition=Ready pod/reader --timeout=60s`;
    assert.deepEqual(rows(await kubectl.ok`get pvc data`)[1]?.slice(0, 5), ['data', 'Bound', 'disk', '2Gi', 'RWO']);
    assert.match(await kubectl.ok`describe pvc data`, /Used By: +reader\n/);

    await kubectl.ok`delete pvc data --wait=false`;
    assert.match(await kubectl.ok`get pvc data`, /data +Terminating /);
    await kubectl.ok`delete pod reader`;
    await kubectl.ok`wait --for=delete pvc/data --timeout=60s`;
    await kubectl.ok`wait --for=${'jsonpath={.status.phase}=Released'} pv/disk --timeout=60s`;
    await kubectl.ok`delete pv disk`;
  });

  it('counts what there is against a quota', async () => {
    const counted = await cluster().inNew('counted');
    await counted.ok`create quota small --hard=${'pods=2,requests.cpu=1,count/deployments.apps=1'}`;
    const is = (deployments: string, pods: string, cpu: string): Promise<void> =>
      eventually(async () => {
        const used = (await counted.json`get quota small`).status.used ?? {};

        return used['count/deployments.apps'] === deployments && used['pods'] === pods && used['requests.cpu'] === cpu;
      }, `${deployments} deployments, ${pods} pods and ${cpu} CPU counted`);
    await is('0', '0', '0');
    await counted.input(deployment('web', 'nginx:1', 3)).ok`create -f -`;
    await eventually(
      async () => /ReplicaFailure +True +FailedCreate/.test(await counted.ok`describe deployment web`),
      'pods that lack a request',
    );
    await counted.ok`set resources deployment web --requests=cpu=100m`;
    const exceeded =
      /pods "web-\S+" is forbidden: exceeded quota: small, requested: pods=1, used: pods=2, limited: pods=2/;
    await eventually(
      async () => exceeded.test(await counted.ok`get events --field-selector=reason=FailedCreate`),
      'an event of a pod too many',
    );
    assert.match(
      await counted.fails`create deployment more --image=nginx`,
      /exceeded quota: small, requested: count\/deployments\.apps=1, used: count\/deployments\.apps=1/,
    );
    await counted.ok`patch quota small --type=merge -p ${JSON.stringify({ spec: { hard: { pods: '5' } } })}`;
    await counted.ok`rollout status deployment/web --timeout=60s`;
    await is('1', '3', '300m');
    await counted.ok`delete deployment web`;
    await is('0', '0', '0');
    await counted.ok`delete namespace counted --wait=false`;
  });

  it('signs the certificate of a request that is approved', async () => {
    await kubectl.input({
      apiVersion: 'certificates.k8s.io/v1',
      kind: 'CertificateSigningRequest',
      metadata: { name: 'jane' },
      spec: {
        request: (await certificateRequest('CN=jane,O=developers')).base64,
        signerName: 'kubernetes.io/kube-apiserver-client',
        usages: ['client auth'],
        expirationSeconds: 3600,
      },
    }).ok`create -f -`;
    assert.match(await kubectl.ok`get csr jane`, / admin +60m +Pending\n/);
    await kubectl.ok`certificate approve jane`;
    await eventually(async () => /Approved,Issued/.test(await kubectl.ok`get csr jane`), 'a certificate');
    const pem = Buffer.from(await kubectl.ok`get csr jane -o jsonpath={.status.certificate}`, 'base64');
    const certificate = new X509Certificate(pem);
    assert.deepEqual(certificate.subject.split('\n').sort(), ['CN=jane', 'O=developers']);
    await kubectl.ok`delete csr jane`;
  });

  it('lets a service account do what its role allows', async () => {
    await kubectl.ok`create serviceaccount robot`;
    await kubectl.ok`create rolebinding robot --clusterrole=view --serviceaccount=life:robot`;
    const token = (await kubectl.ok`create token robot --duration=10m`).trim();
    const url = cluster().server.url;
    const robot = kubectl.env({ KUBECONFIG: '/dev/null' });
    const flags = [`--server=${url}`, `--token=${token}`, '--insecure-skip-tls-verify'];
    assert.match(await robot.ok`auth whoami ${flags[0]} ${flags[1]} ${flags[2]}`, /system:serviceaccount:life:robot/);
    await robot.ok`get pods ${flags[0]} ${flags[1]} ${flags[2]}`;
    assert.match(
      await robot.fails`create configmap mine ${flags[0]} ${flags[1]} ${flags[2]}`,
      /User "system:serviceaccount:life:robot" cannot create resource "configmaps"/,
    );
    assert.match(await kubectl.ok`get configmap kube-root-ca.crt -o yaml`, /BEGIN CERTIFICATE/);
  });
});
