import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startHttpsService, type HttpsService, type ServiceAnswer } from '../../pkg/net/https-service-testing.ts';
import { startTestServer, type TestServer } from '../fixtures/test-server.ts';
import { until } from '../fixtures/until.ts';

const policy = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [{ level: 'Metadata', nonResourceURLs: ['/version'] }, { level: 'None' }],
};
const REQUESTS = 30;

interface Listed {
  readonly kind: string;
  readonly apiVersion: string;
  readonly items: readonly {
    readonly requestURI: string;
    readonly auditID: string;
    readonly requestObject?: { readonly data: object };
  }[];
}

describe('audit webhook', () => {
  let dir: string;
  let service: HttpsService;
  let server: TestServer | undefined;
  const accept: ServiceAnswer = (_request, response) => void response.writeHead(200).end();

  before(() => {
    dir = mkdtempSync(path.join(tmpdir(), 'binnacle-audit-'));
    writeFileSync(path.join(dir, 'policy.json'), JSON.stringify(policy));
  });
  after(() => rmSync(dir, { recursive: true, force: true }));
  beforeEach(async () => {
    service = await startHttpsService(accept);
  });
  afterEach(async () => {
    await server?.stop();
    server = undefined;
    await service.close();
  });

  async function start(args: readonly string[], url = service.url): Promise<TestServer> {
    const config = path.join(dir, 'webhook.json');
    writeFileSync(
      config,
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Config',
        'current-context': 'c',
        contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
        users: [{ name: 'u', user: { token: 'secret' } }],
        clusters: [
          {
            name: 'c',
            cluster: {
              server: `${url}/events`,
              'certificate-authority-data': Buffer.from(service.ca).toString('base64'),
            },
          },
        ],
      }),
    );
    server = await startTestServer({
      args: [
        `--audit-policy-file=${dir}/policy.json`,
        `--audit-webhook-config-file=${config}`,
        '--audit-webhook-initial-backoff=10ms',
        ...args,
      ],
    });
    return server;
  }

  const lists = (): Listed[] => service.received.map(({ body }) => JSON.parse(body) as Listed);
  const items = (): Listed['items'] => lists().flatMap((list) => list.items);
  const ask = async ({ client }: TestServer, count = REQUESTS): Promise<void> => {
    for (let i = 0; i < count; i++) assert.equal((await client.get(`/version?i=${i}`)).status, 200);
  };
  const lost = async ({ client }: TestServer, plugin: string): Promise<number> =>
    Number(
      new RegExp(`apiserver_audit_error_total\\{plugin="${plugin}"\\} (\\d+)`).exec(
        (await client.get('/metrics')).body.toString(),
      )?.[1] ?? 0,
    );

  it('gets batches of every event, the last ones at a clean stop', async () => {
    const running = await start(['--audit-webhook-batch-max-size=8']);
    await ask(running);
    await running.stop();
    server = undefined;
    assert.deepEqual(
      items()
        .map(({ requestURI }) => requestURI)
        .sort(),
      Array.from({ length: REQUESTS }, (_, i) => `/version?i=${i}`).sort(),
    );
    assert.equal(new Set(items().map(({ auditID }) => auditID)).size, REQUESTS);
    assert.ok(
      lists().every(
        ({ kind, apiVersion, items: { length } }) =>
          kind === 'EventList' && apiVersion === 'audit.k8s.io/v1beta1' && length <= 8,
      ),
    );
    assert.ok(
      service.received.every(
        ({ path: where, headers }) => where === '/events' && headers.authorization === 'Bearer secret',
      ),
    );
  });

  it('gets large batches, made into text on a thread', async () => {
    writeFileSync(
      path.join(dir, 'policy.json'),
      JSON.stringify({
        ...policy,
        // Controllers of the server write config maps as well, in the namespace kube-system.
        rules: [
          { level: 'Request', namespaces: ['default'], resources: [{ group: '', resources: ['configmaps'] }] },
          { level: 'None' },
        ],
      }),
    );
    const running = await start(['--audit-webhook-batch-max-size=3', '--audit-webhook-version=audit.k8s.io/v1']);
    const data = { text: 'ä'.repeat(30_000) };
    for (let i = 0; i < 3; i++)
      assert.equal(
        (await running.client.post('/api/v1/namespaces/default/configmaps', { metadata: { name: `m${i}` }, data }))
          .status,
        201,
      );
    await until(() => items().length === 3, 'three events');
    assert.deepEqual([lists().length, lists()[0]!.apiVersion], [1, 'audit.k8s.io/v1']);
    assert.deepEqual(
      items().map(({ requestObject }) => requestObject?.data),
      [data, data, data],
    );
    writeFileSync(path.join(dir, 'policy.json'), JSON.stringify(policy));
  });

  it('that never answers delays no request; events without room are dropped and counted', async () => {
    service.answerWith(() => undefined);
    const running = await start(['--audit-webhook-batch-max-size=2', '--audit-webhook-batch-buffer-size=4']);
    await ask(running);
    // Four batches of two are in flight, and four events wait.
    await until(async () => (await lost(running, 'buffered')) === REQUESTS - 12, 'those that found no room');
    // Or the stop would wait for as long as it may.
    await service.close();
  });

  it('that is down delays no request, and losses are counted', async () => {
    const closed = await portThatIsClosed();
    const running = await start(['--audit-webhook-batch-max-size=10'], `https://127.0.0.1:${closed}`);
    await ask(running);
    await until(async () => (await lost(running, 'webhook')) === REQUESTS, 'those that nobody took');
  });

  it('that fails now and then gets everything all the same', async () => {
    // Batches come at the same time: each fails once, whatever its turn.
    const failed = new Set<string>();
    service.answerWith(({ body }, response) => {
      const again = failed.has(body);
      failed.add(body);
      response.writeHead(again ? 200 : 500).end();
    });
    const running = await start(['--audit-webhook-batch-max-size=5']);
    await ask(running);
    await until(() => service.received.length === (2 * REQUESTS) / 5, 'all of them, sent again');
    assert.equal(new Set(items().map(({ auditID }) => auditID)).size, REQUESTS);
    assert.equal(failed.size, REQUESTS / 5);
    assert.equal(await lost(running, 'webhook'), 0);
  });

  it('holds answers back where it is blocking', async () => {
    const open: (() => void)[] = [];
    service.answerWith((_request, response) => void open.push(() => response.writeHead(200).end()));
    const { client } = await start(['--audit-webhook-mode=blocking']);
    let answered = false;
    const asked = client.get('/version').then((answer) => {
      answered = true;
      return answer;
    });
    await until(() => open.length === 1, 'the first batch');
    await client.get('/healthz');
    assert.equal(answered, false);
    open[0]!();
    assert.equal((await asked).status, 200);
    assert.deepEqual(
      items().map(({ requestURI }) => requestURI),
      ['/version'],
    );
  });

  it('refuses requests where it is strict and does not take their events', async () => {
    writeFileSync(path.join(dir, 'policy.json'), JSON.stringify({ ...policy, omitStages: [] }));
    service.answerWith((_request, response) => void response.writeHead(400).end());
    const { client } = await start(['--audit-webhook-mode=blocking-strict', '--audit-webhook-initial-backoff=1ms']);
    const { status, body } = await client.get('/version');
    assert.deepEqual(
      [status, body.toString()],
      [500, 'Internal Server Error: "/version": failed to store audit event\n'],
    );
    assert.match((await client.get('/metrics')).body.toString(), /apiserver_audit_requests_rejected_total 1\n/);
    writeFileSync(path.join(dir, 'policy.json'), JSON.stringify(policy));
  });
});

async function portThatIsClosed(): Promise<number> {
  const listener: Server = createServer().listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo;
  listener.close();
  await once(listener, 'close');
  return port;
}
