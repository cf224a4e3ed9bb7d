import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { OptionsError } from '../../pkg/options/options-error.ts';
import { startTestServer, type TestServer } from '../fixtures/test-server.ts';

type Fields = Record<string, any>;

const everything = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [{ level: 'Metadata' }],
};
const MAPS = '/api/v1/namespaces/default/configmaps';

describe('audit log', () => {
  let dir: string;
  let log: string;
  let server: TestServer | undefined;
  beforeEach(() => {
    dir = mkdtempSync(path.join(tmpdir(), 'binnacle-audit-'));
    log = path.join(dir, 'logs', 'audit.log');
    writePolicy(everything);
  });
  afterEach(async () => {
    await server?.stop();
    server = undefined;
    rmSync(dir, { recursive: true, force: true });
  });

  const writePolicy = (policy: object): void => writeFileSync(path.join(dir, 'policy.json'), JSON.stringify(policy));
  const start = async (...args: string[]): Promise<TestServer> => {
    server = await startTestServer({
      args: [`--audit-policy-file=${dir}/policy.json`, `--audit-log-path=${log}`, ...args],
    });
    return server;
  };
  const stop = async (): Promise<void> => {
    await server?.stop();
    server = undefined;
  };
  const events = (): Fields[] =>
    readFileSync(log, 'utf8')
      .trimEnd()
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Fields);
  const eventsOf = (uri: string): Fields[] => events().filter(({ requestURI }) => requestURI === uri);

  it('has the event when the answer is there, and goes on after a restart', async () => {
    const { client } = await start();
    const answer = await client.get('/version?first', { 'audit-id': 'my-id' });
    assert.equal(answer.headers['audit-id'], 'my-id');
    assert.deepEqual(
      eventsOf('/version?first').map(({ auditID, apiVersion }) => [auditID, apiVersion]),
      [['my-id', 'audit.k8s.io/v1beta1']],
    );
    assert.equal(statSync(log).mode & 0o777, 0o600);
    await stop();
    const again = await start();
    await again.client.get('/version?second');
    assert.deepEqual([eventsOf('/version?first').length, eventsOf('/version?second').length], [1, 1]);
  });

  it("has ids of its own where the client's cannot be used", async () => {
    const { client } = await start();
    for (const id of ['x'.repeat(129), 'a b']) {
      const answered = String((await client.get('/version', { 'audit-id': id })).headers['audit-id']);
      assert.match(answered, /^[0-9a-f]{8}-/);
    }
  });

  it('says where requests came from', async () => {
    const { client } = await start();
    await client.get('/version?a', { 'x-forwarded-for': '10.1.1.1, nonsense, 10.1.1.2', 'x-real-ip': '10.1.1.3' });
    await client.get('/version?b', { 'x-forwarded-for': '127.0.0.1' });
    assert.deepEqual(
      [eventsOf('/version?a')[0]!['sourceIPs'], eventsOf('/version?b')[0]!['sourceIPs']],
      [['10.1.1.1', '10.1.1.2', '10.1.1.3', '127.0.0.1'], ['127.0.0.1']],
    );
  });

  it('loses nothing at a clean stop in batch mode', async () => {
    const { client } = await start('--audit-log-mode=batch');
    for (let i = 0; i < 20; i++) await client.get(`/version?i=${i}`);
    await stop();
    assert.equal(events().filter(({ requestURI }) => requestURI.startsWith('/version?i=')).length, 20);
  });

  it('is rotated when it is full, in batches too', async () => {
    writePolicy({
      ...everything,
      rules: [{ level: 'Request', resources: [{ group: '', resources: ['configmaps'] }] }, { level: 'None' }],
    });
    const { client } = await start(
      '--audit-log-mode=batch',
      '--audit-log-batch-max-size=4',
      '--audit-log-maxsize=1',
      '--audit-log-maxbackup=2',
    );
    for (let i = 0; i < 10; i++)
      assert.equal(
        (await client.post(MAPS, { metadata: { name: `m${i}` }, data: { a: 'x'.repeat(400_000) } })).status,
        201,
      );
    await stop();
    const files = readdirSync(path.dirname(log));
    assert.equal(files.length, 3);
    for (const file of files) {
      assert.match(file, /^audit(-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3})?\.log$/);
      assert.ok(statSync(path.join(path.dirname(log), file)).size <= 1024 * 1024);
    }
  });

  it('has each stage of a request, and of a watch', async () => {
    writePolicy({ ...everything, omitStages: [] });
    const { client } = await start();
    await client.get('/version?x');
    await client.get(`${MAPS}?watch=1&timeoutSeconds=1`);
    await stop();
    assert.deepEqual(
      eventsOf('/version?x').map(({ stage }) => stage),
      ['RequestReceived', 'ResponseComplete'],
    );
    assert.deepEqual(
      eventsOf(`${MAPS}?watch=1&timeoutSeconds=1`).map(({ stage, responseStatus }) => [stage, responseStatus?.code]),
      [
        ['RequestReceived', undefined],
        ['ResponseStarted', 200],
        ['ResponseComplete', 200],
      ],
    );
    const [received] = eventsOf('/version?x');
    assert.equal(received!['stageTimestamp'], received!['requestReceivedTimestamp']);
  });

  it('says which requests use a version that goes away', async () => {
    const { client } = await start();
    await client.get('/apis/policy/v1beta1/poddisruptionbudgets');
    await client.get('/api/v1/componentstatuses');
    await client.get('/apis/policy/v1/poddisruptionbudgets');
    const asked = events().filter(({ user }) => user.username !== 'system:apiserver');
    const notes = asked.map(({ requestURI, annotations }) => [
      requestURI,
      annotations['k8s.io/deprecated'],
      annotations['k8s.io/removed-release'],
    ]);
    assert.deepEqual(notes, [
      ['/apis/policy/v1beta1/poddisruptionbudgets', 'true', '1.25'],
      ['/api/v1/componentstatuses', 'true', undefined],
      ['/apis/policy/v1/poddisruptionbudgets', undefined, undefined],
    ]);
  });

  it('has bodies of subresources with their defaults', async () => {
    writePolicy({ ...everything, rules: [{ level: 'Request' }] });
    const { client } = await start();
    const uri = '/api/v1/namespaces/default/serviceaccounts/default/token';
    await client.post(uri, { spec: {} });
    const [{ requestObject, objectRef }] = eventsOf(uri) as [Fields];
    assert.deepEqual([requestObject.kind, requestObject.spec.expirationSeconds], ['TokenRequest', 3600]);
    assert.deepEqual(objectRef, {
      resource: 'serviceaccounts',
      namespace: 'default',
      name: 'default',
      apiVersion: 'v1',
      subresource: 'token',
    });
  });

  it('does nothing of a request whose timeout is none', async () => {
    const { client } = await start();
    assert.equal((await client.post(`${MAPS}?timeout=soon`, { metadata: { name: 'never' } })).status, 400);
    assert.equal((await client.get(`${MAPS}/never`)).status, 404);
    const [refusal, ...others] = eventsOf(`${MAPS}?timeout=soon`);
    const { stage, verb, user, objectRef, responseStatus, annotations } = refusal!;
    assert.deepEqual(
      { stage, verb, user, objectRef, responseStatus, annotations, others },
      {
        stage: 'ResponseStarted',
        verb: 'create',
        user: {},
        objectRef: { resource: 'configmaps', namespace: 'default', apiVersion: 'v1' },
        annotations: undefined,
        others: [],
        responseStatus: {
          metadata: {},
          status: 'Failure',
          message: 'invalid timeout specified in the request URL - time: invalid duration "soon"',
          reason: 'BadRequest',
          code: 400,
        },
      },
    );
  });

  it('has what was sent and answered in one version and as JSON, whatever the form', async () => {
    writePolicy({ ...everything, rules: [{ level: 'RequestResponse' }] });
    const { client } = await start();
    await client.post(MAPS, { metadata: { name: 'a' }, data: { k: 'v' } });
    const protobuf = { accept: 'application/vnd.kubernetes.protobuf' };
    await client.get(`${MAPS}/a?get`, protobuf);
    await client.get(`${MAPS}?list&fieldSelector=metadata.name%3Da`, protobuf);
    await client.get(`${MAPS}/a?yaml`, { accept: 'application/yaml' });
    await client.send('DELETE', `${MAPS}/a?delete`, {
      body: { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Background' },
    });
    const [got] = eventsOf(`${MAPS}/a?get`);
    assert.deepEqual([got!['responseObject'].kind, got!['responseObject'].data], ['ConfigMap', { k: 'v' }]);
    const [listed] = eventsOf(`${MAPS}?list&fieldSelector=metadata.name%3Da`);
    assert.deepEqual(
      [listed!['responseObject'].kind, listed!['responseObject'].items.map((item: Fields) => item['data'])],
      ['ConfigMapList', [{ k: 'v' }]],
    );
    assert.equal(listed!['objectRef'].name, 'a', 'the one object that is selected');
    assert.deepEqual(eventsOf(`${MAPS}/a?yaml`)[0]!['responseObject'].data, { k: 'v' });
    assert.deepEqual(eventsOf(`${MAPS}/a?delete`)[0]!['requestObject'], {
      kind: 'DeleteOptions',
      apiVersion: 'v1',
      propagationPolicy: 'Background',
    });
  });

  it('leaves out what is too large, and says so', async () => {
    writePolicy({ ...everything, rules: [{ level: 'Request' }] });
    const { client } = await start('--audit-log-truncate-enabled', '--audit-log-truncate-max-event-size=4096');
    await client.post(`${MAPS}?large`, { metadata: { name: 'a' }, data: { k: 'x'.repeat(10_000) } });
    const [event] = eventsOf(`${MAPS}?large`);
    assert.deepEqual(
      [event!['requestObject'], event!['annotations']['audit.k8s.io/truncated'], event!['objectRef'].name],
      [undefined, 'true', 'a'],
    );
  });

  it('has lines of text in the older format', async () => {
    const { client } = await start('--audit-log-format=legacy');
    await client.get('/version?x', { 'user-agent': 'test' });
    assert.match(
      readFileSync(log, 'utf8'),
      /^\S+ AUDIT: id="[^"]+" stage="ResponseComplete" ip="127\.0\.0\.1" method="get" user="[^"]+" groups=".*" as="<self>" asgroups="<lookup>" user-agent="test" namespace="<none>" uri="\/version\?x" response="200"$/m,
    );
  });

  it('needs no policy where AdvancedAuditing is off: a line for each request and one for its answer', async () => {
    server = await startTestServer({ args: [`--audit-log-path=${log}`, '--feature-gates=AdvancedAuditing=false'] });
    await server.client.get('/version?x');
    const lines = readFileSync(log, 'utf8')
      .split('\n')
      .filter((line) => line.includes('uri="/version?x"'));
    const id = /id="([^"]+)"/.exec(lines[0]!)![1]!;
    assert.match(readFileSync(log, 'utf8'), new RegExp(`AUDIT: id="${id}" response="200"\\n`));
  });

  it('is counted by level', async () => {
    writePolicy({ ...everything, rules: [{ level: 'Metadata', nonResourceURLs: ['/version'] }] });
    const { client } = await start();
    for (let i = 0; i < 3; i++) await client.get('/version');
    const { body } = await client.get('/metrics');
    assert.match(body.toString(), /^apiserver_audit_event_total 3$/m);
    assert.match(body.toString(), /^apiserver_audit_level_total\{level="Metadata"\} 3$/m);
  });

  it('fails a start with every problem of its policy', async () => {
    writePolicy({ ...everything, rules: [{ level: 'Everything' }, { level: 'None', nonResourceURLs: ['x'] }] });
    await assert.rejects(
      start(),
      (error) =>
        error instanceof OptionsError &&
        error.problems.length === 2 &&
        error.problems.every((problem) => problem.startsWith('--audit-policy-file=')),
    );
  });

  it('fails a start when it cannot be written', async () => {
    writeFileSync(path.join(dir, 'logs'), 'in the way');
    await assert.rejects(
      start(),
      (error) => error instanceof OptionsError && error.problems[0]!.startsWith('--audit-log-path='),
    );
    assert.ok(!existsSync(log));
  });
});
