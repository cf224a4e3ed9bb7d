import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ApiClient } from '../fixtures/api-client.ts';
import { startTestServer, type TestServer } from '../fixtures/test-server.ts';

const policy = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [
    { level: 'RequestResponse', resources: [{ group: '', resources: ['configmaps'] }] },
    { level: 'Request', resources: [{ group: 'apps' }] },
    { level: 'Metadata' },
  ],
};
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const SECRETS = '/api/v1/namespaces/default/secrets';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';

type Fields = Record<string, any>;

const admin = { username: 'admin', uid: 'admin', groups: ['system:masters', 'system:authenticated'] };
const allowed = { 'authorization.k8s.io/decision': 'allow', 'authorization.k8s.io/reason': '' };
const configMap = (version: string, data: Fields): Fields => ({
  metadata: { name: 'aud', namespace: 'default', uid: '<uid>', resourceVersion: version, creationTimestamp: '<time>' },
  data,
});
const typedMap = (version: string, data: Fields): Fields => ({
  kind: 'ConfigMap',
  apiVersion: 'v1',
  ...configMap(version, data),
});
const referenceTo = (resource: string, { name, apiGroup, subresource }: Fields = {}): Fields => ({
  resource,
  namespace: 'default',
  name,
  apiGroup,
  apiVersion: 'v1',
  subresource,
});
const forbidden = {
  status: 'Failure',
  message:
    'configmaps is forbidden: User "alice" cannot list resource "configmaps" in API group "" in the namespace "default"',
  reason: 'Forbidden',
  details: { kind: 'configmaps' },
  code: 403,
};
const missingScale = {
  status: 'Failure',
  message: 'deployments/scale.apps "aud" not found',
  reason: 'NotFound',
  details: { name: 'aud', group: 'apps', kind: 'deployments/scale' },
  code: 404,
};
const unauthorized = { status: 'Failure', message: 'Unauthorized', reason: 'Unauthorized', code: 401 };
const deleted = (kind: string): Fields => ({ status: 'Success', details: { name: 'aud', kind, uid: '<uid>' } });
const asStatus = (fields: Fields): Fields => ({ kind: 'Status', apiVersion: 'v1', metadata: {}, ...fields });

/**
 * What stock servers of release 1.25 write down of the requests below, in their order; `<v1>` and so on stand for
 * versions.
 */
const expected: readonly Fields[] = [
  {
    level: 'RequestResponse',
    requestURI: CONFIG_MAPS,
    verb: 'create',
    objectRef: referenceTo('configmaps', { name: 'aud' }),
    responseStatus: { metadata: {}, code: 201 },
    requestObject: { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'aud' }, data: { a: '1' } },
    responseObject: typedMap('<v1>', { a: '1' }),
  },
  {
    level: 'RequestResponse',
    requestURI: `${CONFIG_MAPS}/aud`,
    verb: 'get',
    objectRef: referenceTo('configmaps', { name: 'aud' }),
    responseStatus: { metadata: {}, code: 200 },
    responseObject: typedMap('<v1>', { a: '1' }),
  },
  {
    level: 'RequestResponse',
    requestURI: `${CONFIG_MAPS}/aud`,
    verb: 'patch',
    objectRef: referenceTo('configmaps', { name: 'aud' }),
    responseStatus: { metadata: {}, code: 200 },
    requestObject: { data: { b: '2' } },
    responseObject: typedMap('<v2>', { a: '1', b: '2' }),
  },
  {
    level: 'RequestResponse',
    requestURI: `${CONFIG_MAPS}?limit=1`,
    verb: 'list',
    objectRef: referenceTo('configmaps'),
    responseStatus: { metadata: {}, code: 200 },
    responseObject: {
      kind: 'ConfigMapList',
      apiVersion: 'v1',
      metadata: { resourceVersion: '<v2>' },
      items: [configMap('<v2>', { a: '1', b: '2' })],
    },
  },
  {
    level: 'RequestResponse',
    stage: 'ResponseStarted',
    requestURI: `${CONFIG_MAPS}?watch=1&timeoutSeconds=1`,
    verb: 'watch',
    objectRef: referenceTo('configmaps'),
    responseStatus: { metadata: {}, code: 200 },
  },
  {
    level: 'RequestResponse',
    requestURI: `${CONFIG_MAPS}?watch=1&timeoutSeconds=1`,
    verb: 'watch',
    objectRef: referenceTo('configmaps'),
    responseStatus: { metadata: {}, code: 200 },
  },
  {
    level: 'Metadata',
    requestURI: SECRETS,
    verb: 'create',
    objectRef: referenceTo('secrets', { name: 'aud' }),
    responseStatus: { metadata: {}, code: 201 },
  },
  {
    level: 'Metadata',
    requestURI: `${SECRETS}/aud`,
    verb: 'delete',
    objectRef: referenceTo('secrets', { name: 'aud' }),
    responseStatus: { metadata: {}, ...deleted('secrets'), code: 200 },
  },
  {
    level: 'Request',
    requestURI: DEPLOYMENTS,
    verb: 'create',
    objectRef: referenceTo('deployments', { name: 'aud', apiGroup: 'apps' }),
    responseStatus: {
      metadata: {},
      status: 'Failure',
      message: '<message>',
      reason: 'Invalid',
      details: '<details>',
      code: 422,
    },
    requestObject: {
      kind: 'Deployment',
      apiVersion: 'apps/v1',
      metadata: { name: 'aud' },
      spec: {
        replicas: 1,
        selector: null,
        template: {
          metadata: {},
          spec: {
            containers: null,
            restartPolicy: 'Always',
            terminationGracePeriodSeconds: 30,
            dnsPolicy: 'ClusterFirst',
            securityContext: {},
            schedulerName: 'default-scheduler',
          },
        },
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' } },
        revisionHistoryLimit: 10,
        progressDeadlineSeconds: 600,
      },
      status: {},
    },
  },
  {
    level: 'Request',
    requestURI: `${DEPLOYMENTS}/aud/scale`,
    verb: 'get',
    objectRef: referenceTo('deployments', { name: 'aud', apiGroup: 'apps', subresource: 'scale' }),
    responseStatus: { metadata: {}, ...missingScale },
  },
  {
    level: 'RequestResponse',
    requestURI: `${CONFIG_MAPS}/aud`,
    verb: 'delete',
    objectRef: referenceTo('configmaps', { name: 'aud' }),
    responseStatus: { metadata: {}, ...deleted('configmaps'), code: 200 },
    responseObject: asStatus(deleted('configmaps')),
  },
  {
    level: 'RequestResponse',
    requestURI: CONFIG_MAPS,
    verb: 'list',
    user: { username: 'alice', uid: 'alice', groups: ['staff', 'system:authenticated'] },
    objectRef: referenceTo('configmaps'),
    responseStatus: { metadata: {}, ...forbidden },
    responseObject: asStatus(forbidden),
    annotations: { 'authorization.k8s.io/decision': 'forbid', 'authorization.k8s.io/reason': '' },
  },
  {
    level: 'RequestResponse',
    stage: 'ResponseStarted',
    requestURI: CONFIG_MAPS,
    verb: 'list',
    user: {},
    objectRef: referenceTo('configmaps'),
    responseStatus: { metadata: {}, ...unauthorized },
    responseObject: asStatus(unauthorized),
    annotations: undefined,
  },
  {
    level: 'Metadata',
    requestURI: '/version',
    verb: 'get',
    impersonatedUser: { username: 'alice', groups: ['staff', 'system:authenticated'] },
    responseStatus: { metadata: {}, code: 200 },
    annotations: {
      'authorization.k8s.io/decision': 'allow',
      'authorization.k8s.io/reason':
        'RBAC: allowed by ClusterRoleBinding "system:discovery" of ClusterRole "system:discovery" to Group "system:authenticated"',
    },
  },
  { level: 'Metadata', requestURI: '/nothing', verb: 'get', responseStatus: { metadata: {}, code: 404 } },
  {
    level: 'RequestResponse',
    requestURI: `${CONFIG_MAPS}?labelSelector=x%3Dy`,
    verb: 'deletecollection',
    objectRef: referenceTo('configmaps'),
    responseStatus: { metadata: {}, code: 200 },
    responseObject: { kind: 'ConfigMapList', apiVersion: 'v1', metadata: { resourceVersion: '<list>' }, items: [] },
  },
];

/** Event by event: what all of them share is filled in, every field in its place. */
function whole({
  level,
  stage = 'ResponseComplete',
  requestURI,
  verb,
  user = admin,
  impersonatedUser,
  objectRef,
  responseStatus,
  requestObject,
  responseObject,
  ...rest
}: Fields): Fields {
  const filled: Fields = {
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    level,
    auditID: '<uid>',
    stage,
    requestURI,
    verb,
    user,
    impersonatedUser,
    sourceIPs: ['127.0.0.1'],
    userAgent: 'observer/1.0',
    objectRef,
    responseStatus,
    requestObject,
    responseObject,
    requestReceivedTimestamp: '<time>',
    stageTimestamp: '<time>',
    annotations: 'annotations' in rest ? rest['annotations'] : allowed,
  };
  return JSON.parse(JSON.stringify(filled)) as Fields;
}

/** The event's own fields as text; what was sent and answered may be in another order. */
function inOrder({ requestObject, responseObject, ...own }: Fields): string {
  return JSON.stringify({ ...own, requestObject: typeof requestObject, responseObject: typeof responseObject });
}

/** Puts placeholders where every run has a value of its own. */
function comparable(event: Fields, versions: ReadonlyMap<string, string>): Fields {
  return JSON.parse(JSON.stringify(event), (key, value: unknown) => {
    if (key === 'auditID' || key === 'uid')
      return typeof value === 'string' && /^[0-9a-f]{8}-/.test(value) ? '<uid>' : value;
    if (key === 'creationTimestamp' && value !== null) return '<time>';
    if (
      key.endsWith('Timestamp') &&
      typeof value === 'string' &&
      /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/.test(value)
    )
      return '<time>';
    if (key === 'resourceVersion') return versions.get(value as string) ?? '<list>';
    return value;
  }) as Fields;
}

describe('audit events', () => {
  let dir: string;
  let server: TestServer;
  let events: Fields[];
  let text: string;

  before(async () => {
    dir = mkdtempSync(path.join(tmpdir(), 'binnacle-audit-'));
    writeFileSync(path.join(dir, 'policy.yaml'), JSON.stringify(policy));
    writeFileSync(
      path.join(dir, 'tokens.csv'),
      'admintoken,admin,admin,"system:masters"\nalicetoken,alice,alice,"staff"\n',
    );
    server = await startTestServer({
      args: [
        '--authorization-mode=Node,RBAC',
        `--token-auth-file=${dir}/tokens.csv`,
        `--audit-policy-file=${dir}/policy.yaml`,
        `--audit-log-path=${dir}/audit.log`,
        '--audit-log-version=audit.k8s.io/v1',
      ],
    });
    const versions = await sendAll(server.running.url);
    await server.stop();
    text = readFileSync(path.join(dir, 'audit.log'), 'utf8');
    const lines = text.trimEnd().split('\n');
    events = lines
      .map((line) => JSON.parse(line) as Fields)
      .filter(({ userAgent }) => userAgent === 'observer/1.0')
      .map((event) => comparable(event, versions));
  });
  after(() => rmSync(dir, { recursive: true, force: true }));

  it('are as many as a stock server writes', () => {
    assert.deepEqual(
      events.map(({ verb, stage, requestURI }) => [verb, stage, requestURI]),
      expected.map(whole).map(({ verb, stage, requestURI }) => [verb, stage, requestURI]),
    );
  });

  it('hold no secret where the level is Metadata', () => {
    assert.ok(!text.includes('not to be seen') && !text.includes(Buffer.from('not to be seen').toString('base64')));
  });

  for (const [i, fields] of expected.entries()) {
    it(`equal those of a stock server: ${fields['verb']} ${fields['requestURI']}${fields['stage'] === undefined ? '' : `, ${fields['stage']}`}, ${fields['responseStatus'].code}`, () => {
      const actual = events[i]!;
      // Their words are compared where validation is tested.
      if (fields['responseStatus'].code === 422)
        Object.assign(actual['responseStatus'], { message: '<message>', details: '<details>' });
      assert.deepEqual(actual, whole(fields));
      assert.equal(inOrder(actual), inOrder(whole(fields)), 'the order of fields');
    });
  }
});

/** Sends the requests; gives the object's versions with their placeholders. */
async function sendAll(url: string): Promise<ReadonlyMap<string, string>> {
  const admins = new ApiClient(url, 'admintoken');
  const other = new ApiClient(url, 'alicetoken');
  const stranger = new ApiClient(url, 'nobody');
  const headers = { 'user-agent': 'observer/1.0' };
  const created = await admins.send('POST', CONFIG_MAPS, {
    headers,
    body: { metadata: { name: 'aud' }, data: { a: '1' } },
  });
  await admins.get(`${CONFIG_MAPS}/aud`, headers);
  const patched = await admins.send('PATCH', `${CONFIG_MAPS}/aud`, {
    headers,
    body: { data: { b: '2' } },
    contentType: 'application/merge-patch+json',
  });
  await admins.get(`${CONFIG_MAPS}?limit=1`, headers);
  await admins.get(`${CONFIG_MAPS}?watch=1&timeoutSeconds=1`, headers);
  await admins.send('POST', SECRETS, {
    headers,
    body: { metadata: { name: 'aud' }, stringData: { password: 'not to be seen' } },
  });
  await admins.send('DELETE', `${SECRETS}/aud`, { headers });
  await admins.send('POST', DEPLOYMENTS, { headers, body: { metadata: { name: 'aud' }, spec: {} } });
  await admins.get(`${DEPLOYMENTS}/aud/scale`, headers);
  await admins.send('DELETE', `${CONFIG_MAPS}/aud`, { headers });
  await other.get(CONFIG_MAPS, headers);
  await stranger.get(CONFIG_MAPS, headers);
  await admins.get('/version', { ...headers, 'impersonate-user': 'alice', 'impersonate-group': 'staff' });
  await admins.get('/nothing', headers);
  await admins.send('DELETE', `${CONFIG_MAPS}?labelSelector=x%3Dy`, { headers });
  for (const client of [admins, other, stranger]) client.close();
  return new Map([
    [created.json.metadata.resourceVersion, '<v1>'],
    [patched.json.metadata.resourceVersion, '<v2>'],
  ]);
}
