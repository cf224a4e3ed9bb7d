import assert from 'node:assert/strict';
import { startTestServer, type TestServer } from '../fixtures/test-server.ts';

const privileged = { name: 'c', image: 'i', securityContext: { privileged: true } };
const labels = { app: 'a' };
const template = (restartPolicy: string): object => ({
  metadata: { labels },
  spec: { restartPolicy, containers: [privileged] },
});
const selector = { matchLabels: labels };
const jobSpec = { template: template('Never') };

/** Every kind that has a pod's specification. */
const kinds: readonly (readonly [path: string, kind: string, spec: object])[] = [
  ['/api/v1/namespaces/default/pods', 'Pod', { spec: { containers: [privileged] } }],
  ['/api/v1/namespaces/default/podtemplates', 'PodTemplate', { template: template('Always') }],
  [
    '/api/v1/namespaces/default/replicationcontrollers',
    'ReplicationController',
    { spec: { selector: labels, template: template('Always') } },
  ],
  ['/apis/apps/v1/namespaces/default/deployments', 'Deployment', { spec: { selector, template: template('Always') } }],
  ['/apis/apps/v1/namespaces/default/replicasets', 'ReplicaSet', { spec: { selector, template: template('Always') } }],
  ['/apis/apps/v1/namespaces/default/daemonsets', 'DaemonSet', { spec: { selector, template: template('Always') } }],
  [
    '/apis/apps/v1/namespaces/default/statefulsets',
    'StatefulSet',
    { spec: { serviceName: 's', selector, template: template('Always') } },
  ],
  ['/apis/batch/v1/namespaces/default/jobs', 'Job', { spec: jobSpec }],
  [
    '/apis/batch/v1/namespaces/default/cronjobs',
    'CronJob',
    { spec: { schedule: '* * * * *', jobTemplate: { spec: jobSpec } } },
  ],
];

describe('two servers in one process, one of which allows privileged containers', function () {
  this.timeout(60_000);
  let allowing: TestServer;
  let refusing: TestServer;

  before(async () => {
    allowing = await startTestServer({ args: ['--allow-privileged=true'] });
    // The later start must not change what the earlier server allows.
    refusing = await startTestServer({ args: ['--allow-privileged=false'] });
  });
  after(async () => {
    await allowing?.stop();
    await refusing?.stop();
    assert.deepEqual([allowing?.errors, refusing?.errors], [[], []]);
  });

  for (const [path, kind, body] of kinds) {
    it(`decides for a ${kind} on each of them by its own option`, async () => {
      const object = { metadata: { name: 'x' }, ...body };
      const created = await allowing.client.post(path, object);
      assert.equal(created.status, 201, JSON.stringify(created.json));
      const refused = await refusing.client.post(path, object);
      assert.equal(refused.status, 422);
      assert.match(refused.json.message, /privileged: Forbidden: disallowed by cluster policy/);
      const labelled = { metadata: { labels: { changed: 'yes' } } };
      const changed = await allowing.client.patch(`${path}/x`, 'merge', labelled);
      assert.equal(changed.status, 200, JSON.stringify(changed.json));
    });
  }

  it('decides for debugging containers on each of them by its own option', async () => {
    const pods = '/api/v1/namespaces/default/pods';
    const pod = { metadata: { name: 'debugged' }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    const debug = { spec: { ephemeralContainers: [{ ...privileged, name: 'debug' }] } };
    for (const [server, status] of [
      [allowing, 200],
      [refusing, 422],
    ] as const) {
      assert.equal((await server.client.post(pods, pod)).status, 201);
      const answer = await server.client.patch(`${pods}/debugged/ephemeralcontainers`, 'strategic', debug);
      assert.equal(answer.status, status, JSON.stringify(answer.json));
    }
  });
});
