/** The same calls over HTTPS and from this process: what they leave in audit log, metrics and flow control. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { resourceToken } from '../../../pkg/api/resource.ts';
import { StatusError } from '../../../pkg/apimachinery/errors/status-error.ts';
import type { ApiObject } from '../../../pkg/apimachinery/meta/object.ts';
import type { Client } from '../../../pkg/client/rest/client.ts';
import { RestClient } from '../../../pkg/client/rest/rest-client.ts';
import { startTestServer, type TestServer } from '../../fixtures/test-server.ts';
import { startWebhookServer } from '../../fixtures/webhook-server.ts';

type Fields = ApiObject & Record<string, any>;

const configMaps = resourceToken<Fields>('v1', 'configmaps', 'ConfigMap', true);
const namespaces = resourceToken<Fields>('v1', 'namespaces', 'Namespace', false);
const serviceAccounts = resourceToken<Fields>('v1', 'serviceaccounts', 'ServiceAccount', true);
const leases = resourceToken<Fields>('coordination.k8s.io/v1', 'leases', 'Lease', true);
const hooks = resourceToken<Fields>(
  'admissionregistration.k8s.io/v1',
  'validatingwebhookconfigurations',
  'ValidatingWebhookConfiguration',
  false,
);

const USER_AGENT = 'parity-test/1';
const admin = { name: 'admin', uid: 'admin', groups: ['system:masters'] };
const policy = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [{ level: 'RequestResponse', namespaces: ['by-local', 'by-https'] }, { level: 'None' }],
};

async function codeOf(call: Promise<unknown>): Promise<number | undefined> {
  try {
    await call;
    return undefined;
  } catch (error) {
    assert.ok(error instanceof StatusError, String(error));
    return error.code;
  }
}

/** Every verb, with answers that are objects, lists, Statuses and refusals. */
async function callAll(client: Client, namespace: string): Promise<void> {
  const name = { namespace, name: 'a' };
  const created = await client.create(configMaps, { metadata: name, data: { k: 'v' } });
  await client.get(configMaps, name);
  await client.update(configMaps, { ...created, data: { k: 'w' } }, { fieldManager: 'parity' });
  await client.patch(configMaps, name, 'merge', { data: { l: 'x' } });
  await client.patch(configMaps, name, 'json', [{ op: 'add', path: '/data/m', value: 'y' }], { dryRun: true });
  await client.list(configMaps, { namespace, limit: 1 });
  assert.equal(await codeOf(client.update(configMaps, created)), 409);
  assert.equal(await codeOf(client.get(configMaps, { namespace, name: 'absent' })), 404);
  assert.equal(await codeOf(client.create(configMaps, { metadata: { namespace, name: 'No' } })), 422);
  for await (const event of client.watch(configMaps, { namespace, timeoutSeconds: 1 }))
    assert.equal(event.type, 'ADDED');
  await client.delete(configMaps, name, { gracePeriodSeconds: 0 });
  await client.deleteCollection(configMaps, { namespace });
}

describe('calls of this process and over HTTPS', function () {
  this.timeout(60_000);
  const dir = mkdtempSync(path.join(tmpdir(), 'binnacle-parity-'));
  const auditLog = path.join(dir, 'audit.log');
  let server: TestServer;
  let https: RestClient;
  let local: Client;

  before(async () => {
    const policyFile = path.join(dir, 'policy.yaml');
    writeFileSync(policyFile, JSON.stringify(policy));
    server = await startTestServer({
      args: [
        `--audit-policy-file=${policyFile}`,
        `--audit-log-path=${auditLog}`,
        '--audit-log-mode=blocking',
        '--request-timeout=2s',
      ],
    });
    const { url, token } = server.running;
    const credentials = { token };
    https = new RestClient(
      { server: new URL(url), insecureSkipTlsVerify: true, credentials },
      { userAgent: USER_AGENT },
    );
    local = server.running.server.localClient(admin, { userAgent: USER_AGENT });
    for (const namespace of ['by-local', 'by-https']) {
      await local.create(namespaces, { metadata: { name: namespace } });
      // The server's own controller makes it; its request is to be counted before those of the tests.
      const account = { namespace, name: 'default' };
      while ((await codeOf(local.get(serviceAccounts, account))) !== undefined)
        await new Promise((resolve) => void setTimeout(resolve, 20));
    }
  });

  after(async () => {
    https.close();
    await server.stop();
    rmSync(dir, { recursive: true, force: true });
    assert.deepEqual(server.errors, []);
  });

  /** Counters of requests by labels, without those of pages. */
  async function requestCounts(): Promise<Map<string, number>> {
    const text = (await server.client.get('/metrics')).body.toString();
    const counted =
      /^((?:apiserver_request_total|apiserver_request_duration_seconds_count|apiserver_flowcontrol_dispatched_requests_total)\{.*\}) (\d+)$/gm;
    return new Map([...text.matchAll(counted)].map(([, series, count]) => [series!, Number(count)]));
  }

  async function countedBy(run: () => Promise<void>): Promise<Record<string, number>> {
    const before = await requestCounts();
    await run();
    // Requests are counted when they are over, which is after their answer.
    await new Promise((resolve) => void setTimeout(resolve, 100));
    const grown: Record<string, number> = {};
    for (const [series, count] of await requestCounts()) {
      const by = count - (before.get(series) ?? 0);
      if (by > 0 && !/[{,]resource=""/.test(series)) grown[series] = by;
    }
    return grown;
  }

  function auditEvents(namespace: string): unknown[] {
    const text = readFileSync(auditLog, 'utf8').replaceAll(/by-(local|https)/g, (name) =>
      name === namespace ? 'NS' : name,
    );
    const events = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Fields);
    return events
      .filter(({ userAgent, objectRef }) => userAgent === USER_AGENT && objectRef?.namespace === 'NS')
      .filter(({ objectRef }) => objectRef.resource === 'configmaps')
      .map(({ auditID: _id, requestReceivedTimestamp: _at, stageTimestamp: _until, ...event }) =>
        JSON.parse(
          JSON.stringify(event)
            .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'UID')
            .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
            .replaceAll(/"resourceVersion":"\d+"/g, '"resourceVersion":"N"'),
        ),
      );
  }

  it('leave the same audit events and the same metrics', async () => {
    const byHttps = await countedBy(() => callAll(https, 'by-https'));
    const byLocal = await countedBy(() => callAll(local, 'by-local'));
    assert.equal(Object.keys(byHttps).length > 10, true, Object.keys(byHttps).join('\n'));
    assert.deepEqual(byLocal, byHttps);
    const expected = auditEvents('by-https');
    assert.ok(expected.length >= 13, `${expected.length}`);
    assert.deepEqual(auditEvents('by-local'), expected);
  });

  it('have seats of the level of their user', async () => {
    const manager = server.running.server.localClient({ name: 'system:kube-controller-manager', groups: [] });
    const counts = await countedBy(async () => {
      await manager.list(leases, {});
      await manager.list(leases, { namespace: 'kube-system' });
    });
    const series = Object.keys(counts).filter((name) => name.includes('flow_schema="kube-controller-manager"'));
    assert.equal(series.length, 1);
    assert.match(series[0]!, /priority_level="workload-high"/);
    assert.equal(counts[series[0]!], 2);
  });

  it('are bounded in time, and can be given up', async () => {
    const hook = await startWebhookServer();
    const seen: (() => void)[] = [];
    hook.misbehave(() => seen.shift()?.());
    const asked = (): Promise<void> => new Promise((resolve) => void seen.push(resolve));
    const rule = { operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] };
    const webhook = { name: 'silent.example.com', clientConfig: hook.clientConfig(), rules: [rule] };
    const settings = { sideEffects: 'None', admissionReviewVersions: ['v1'], timeoutSeconds: 30 };
    try {
      await local.create(hooks, { metadata: { name: 'silent' }, webhooks: [{ ...webhook, ...settings }] });
      const metadata = { namespace: 'default', name: 'never' };
      const stop = new AbortController();
      const reason = new Error('no longer wanted');
      const wasAsked = asked();
      const given = local.create(configMaps, { metadata }, { signal: stop.signal });
      await wasAsked;
      stop.abort(reason);
      await assert.rejects(given, reason);
      // The webhook's call and the request run out of the same time; the answer is that of the request.
      for (let i = 0; i < 3; i++) assert.equal(await codeOf(local.create(configMaps, { metadata })), 504);
      await local.delete(hooks, { name: 'silent' });
    } finally {
      await hook.close();
    }
  });
});

describe('calls of this process while the server stops', function () {
  this.timeout(60_000);

  it('end as watches, and are refused as new ones', async () => {
    const server = await startTestServer();
    const local = server.running.server.localClient(admin);
    const seen: string[] = [];
    const watching = (async () => {
      const options = { sendInitialEvents: true, allowWatchBookmarks: true };
      for await (const event of local.watch(configMaps, options)) {
        seen.push(event.type);
        if (event.type === 'BOOKMARK') void server.stop();
      }
    })();
    await watching;
    assert.ok(seen.includes('BOOKMARK'));
    await server.stop();
    assert.equal(await codeOf(local.list(configMaps)), 503);
    assert.deepEqual(server.errors, []);
  });
});
