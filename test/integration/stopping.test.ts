/** A server that gets a signal to stop, as a separate process: it ends in time, with any peer that does not answer. */
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { RecordClient } from '../../pkg/server/listener/record-client-testing.ts';
import { acceptsConnections } from '../fixtures/accepts-connections.ts';
import { ApiClient } from '../fixtures/api-client.ts';
import { startBinnacle } from '../fixtures/binnacle-process.ts';
import { EtcdServer } from '../fixtures/etcd-server.ts';
import { Http2ApiClient } from '../fixtures/http2-api-client.ts';
import { startWebhookServer } from '../fixtures/webhook-server.ts';
import { answerJson } from '../../pkg/net/https-service-testing.ts';
import { head } from '../security/raw-connection.ts';

const configMaps = '/api/v1/namespaces/default/configmaps';

describe('a server after a signal to stop', function () {
  this.timeout(90_000);

  it('ends with status 0 although its store hangs, a webhook is silent, and clients watch', async () => {
    const [etcd, hook] = await Promise.all([EtcdServer.start(), startWebhookServer()]);
    const server = await startBinnacle([
      '--storage-backend=etcd3',
      `--store-servers=${etcd.url}`,
      '--advertise-address=192.0.2.1',
    ]);
    const client = new ApiClient(server.url, server.token);
    try {
      await client.post('/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations', {
        metadata: { name: 'silent' },
        webhooks: [
          {
            name: 'silent.example.com',
            clientConfig: hook.clientConfig(),
            sideEffects: 'None',
            admissionReviewVersions: ['v1'],
            timeoutSeconds: 30,
            rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
          },
        ],
      });
      const watch = client.watch('/api/v1/namespaces?watch=1');
      await watch.until((events) => events.length > 0);
      const asked = new Promise<void>((resolve) => hook.misbehave(() => resolve()));
      const held = client.post('/api/v1/namespaces/default/configmaps', { metadata: { name: 'held' } }).then(
        ({ status }) => status,
        () => 'cut off',
      );
      await asked;
      etcd.freeze();
      // Throws unless the server ended with status 0.
      await server.stop();
      await watch.untilEnd();
      assert.equal(await held, 'cut off');
    } finally {
      client.close();
      await server.stop();
      await Promise.all([etcd.stop(), hook.close()]);
    }
  });

  it('finishes what it has accepted, and refuses in words what still comes, without any delay', async () => {
    const [hook, server] = await Promise.all([startWebhookServer(), startBinnacle()]);
    const port = Number(new URL(server.url).port);
    const [http1, http2] = [new ApiClient(server.url, server.token), new Http2ApiClient(server.url, server.token)];
    const [kept, healthy, slow] = await Promise.all([1, 2, 3].map(() => RecordClient.open(port)));
    let stopped: Promise<void> | undefined;
    try {
      for (let i = 0; i < 12; i++)
        assert.equal(
          (await http1.post(configMaps, { metadata: { name: `large-${i}` }, data: { v: 'x'.repeat(1_000_000) } }))
            .status,
          201,
        );
      await http1.post('/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations', {
        metadata: { name: 'slow' },
        webhooks: [
          {
            name: 'slow.example.com',
            clientConfig: hook.clientConfig(),
            sideEffects: 'None',
            admissionReviewVersions: ['v1'],
            rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['secrets'] }],
          },
        ],
      });
      const held: (() => void)[] = [];
      hook.misbehave((to: ServerResponse, { uid }) =>
        held.push(() =>
          answerJson(to, {
            kind: 'AdmissionReview',
            apiVersion: 'admission.k8s.io/v1',
            response: { uid, allowed: true },
          }),
        ),
      );
      const posts = [
        http1.post('/api/v1/namespaces/default/secrets', { metadata: { name: 'http1' } }).then(({ status }) => status),
        http2
          .send('POST', '/api/v1/namespaces/default/secrets', { metadata: { name: 'http2' } })
          .then(({ status }) => status),
      ];
      await slow!.send(head('GET', configMaps, server.token));
      await slow!.readFirstBytes();
      for (const connection of [kept!, healthy!]) {
        await connection.send(head('GET', '/api', server.token));
        assert.equal((await connection.answers(1))[0]?.status, 200);
      }
      while (held.length < 2) await sleep(5);

      stopped = server.stop();
      while (await acceptsConnections(port)) await sleep(5);
      await healthy!.send(head('GET', '/readyz', server.token));
      assert.equal((await healthy!.answers(1))[0]?.status, 500);
      await kept!.send(head('GET', configMaps, server.token));
      const [refused] = await kept!.answers(1);
      assert.match(refused!.head, /^HTTP\/1\.1 503 /);
      assert.match(refused!.head, /\r\nretry-after: 1\r\n/i);
      assert.match(refused!.head, /\r\nconnection: close\r\n/i);
      assert.deepEqual(JSON.parse(String(refused!.body)), {
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        message: 'apiserver is shutting down',
        reason: 'ServiceUnavailable',
        details: { retryAfterSeconds: 1 },
        code: 503,
      });
      for (const answer of held) answer();
      assert.deepEqual(await Promise.all(posts), [201, 201]);
      const [list] = await slow!.answers(1);
      assert.equal(JSON.parse(String(list!.body)).items.length, 12);
      await stopped;
    } finally {
      for (const connection of [kept, healthy, slow]) connection?.destroy();
      http1.close();
      http2.close();
      await (stopped ?? server.stop());
      await hook.close();
    }
  });

  it('tells clients first, and serves them for the delay', async () => {
    const server = await startBinnacle(['--shutdown-delay-duration=3s']);
    const http2 = new Http2ApiClient(server.url, server.token);
    const client = new ApiClient(server.url, server.token);
    const kept = await RecordClient.open(Number(new URL(server.url).port));
    let stopped: Promise<void> | undefined;
    try {
      const watch = client.watch('/api/v1/namespaces?watch=1');
      await watch.until((events) => events.length > 0);
      await kept.send(head('GET', '/readyz', server.token));
      const [before] = await kept.answers(1);
      assert.deepEqual([before!.status, /connection: close/i.test(before!.head)], [200, false]);
      assert.equal((await http2.send('GET', '/api')).status, 200);
      const told = http2.goaway();
      stopped = server.stop();
      assert.equal(await told, 0);
      await kept.send(head('GET', '/readyz', server.token));
      const [after] = await kept.answers(1);
      assert.deepEqual([after!.status, /\r\nconnection: close\r\n/i.test(after!.head)], [500, true]);
      // A watch ends while its client still gets the next one.
      await watch.untilEnd();
      const next = client.watch('/api/v1/namespaces?watch=1');
      await next.until((events) => events.length > 0);
      assert.equal((await client.post('/api/v1/namespaces', { metadata: { name: 'late' } })).status, 201);
      await next.untilEnd();
      assert.deepEqual(next.events.map(({ object }) => object.metadata.name).slice(-1), ['late']);
      await stopped;
    } finally {
      kept.destroy();
      http2.close();
      client.close();
      await (stopped ?? server.stop());
    }
  });
});
