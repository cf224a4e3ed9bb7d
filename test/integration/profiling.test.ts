import assert from 'node:assert/strict';
import { once } from 'node:events';
import http2 from 'node:http2';
import https from 'node:https';
import path from 'node:path';
import { readProfile } from '../../pkg/server/profiling/profile-testing.ts';
import type { Answer } from '../fixtures/api-client.ts';
import { startTestServer, type TestServer } from '../fixtures/test-server.ts';

const sources = path.resolve(import.meta.dirname, '../../pkg');
const IN_USE = 'Could not enable CPU profiling: cpu profiling already in use\n';
const RANGE = 'seconds must be a whole number from 1 to 600\n';

describe('/debug/pprof/', function () {
  this.timeout(60_000);
  let server: TestServer;
  afterEach(async () => {
    await server.stop();
    assert.deepEqual(server.errors, []);
  });

  const start = async (...args: string[]): Promise<void> => {
    server = await startTestServer({ args });
  };
  const page = (name: string): Promise<Answer> => server.client.get(`/debug/pprof/${name}`);
  /** Resolves once a profile is being recorded; `leave` gives it up. */
  async function begin(seconds: number): Promise<{ leave(): void; answer: Promise<Buffer> }> {
    const { hostname: host, port } = server.client.url;
    const request = https.get({
      host,
      port,
      path: `/debug/pprof/profile?seconds=${seconds}`,
      headers: { authorization: `Bearer ${server.client.token}` },
      rejectUnauthorized: false,
      agent: false,
    });
    const answer = new Promise<Buffer>((resolve, reject) => {
      request.on('error', reject);
      request.on(
        'response',
        (response) => void response.toArray().then((parts) => resolve(Buffer.concat(parts as Buffer[])), reject),
      );
    });
    answer.catch(() => undefined);
    await once(request, 'finish');
    await untilRecording();
    return { leave: () => request.destroy(), answer };
  }
  async function untilRecording(): Promise<void> {
    // By its answer what was sent before has arrived as well: a short profile would otherwise come before the long one.
    await page('');
    while ((await page('profile?seconds=1')).status !== 500);
  }
  const untilFree = async (): Promise<void> => {
    while ((await page('profile?seconds=1')).status === 500);
  };

  it('says what the main thread spends its time on', async () => {
    await start();
    let over = false;
    const load = (async () => {
      while (!over) await server.client.get('/api/v1/namespaces');
    })();
    const { status, headers, body } = await page('profile?seconds=2');
    over = true;
    await load;
    assert.deepEqual(
      [status, headers['content-type'], headers['content-disposition']],
      [200, 'application/octet-stream', 'attachment; filename="profile"'],
    );
    const { values, period, durationMs, samples } = readProfile(body);
    assert.deepEqual([values, period], [['samples/count', 'cpu/nanoseconds'], '10000000 cpu/nanoseconds']);
    assert.ok(durationMs >= 1900, String(durationMs));
    const ours = samples.filter(({ files }) => files.some((file) => file.startsWith(path.join(sources, 'server/'))));
    assert.ok(ours.length > 5, `${ours.length} of ${samples.length}`);
    assert.ok(samples.every(({ values: [count, ns] }) => count! > 0 && ns! >= 0));
    assert.ok(
      samples.some(({ stack, files }) =>
        stack.some((name, i) => name === 'dispatch' && files[i]!.endsWith('dispatcher.ts')),
      ),
    );
  });

  it('says where what is on the heap was allocated', async () => {
    await start();
    const data = { text: 'x'.repeat(100_000) };
    for (let i = 0; i < 150; i++)
      assert.equal(
        (await server.client.post('/api/v1/namespaces/default/configmaps', { metadata: { name: `m${i}` }, data }))
          .status,
        201,
      );
    const { status, headers, body } = await page('heap');
    assert.deepEqual([status, headers['content-disposition']], [200, 'attachment; filename="heap"']);
    const { values, period, samples } = readProfile(body);
    assert.deepEqual([values, period], [['inuse_space/bytes'], '524288 space/bytes']);
    assert.ok(samples.length > 0 && samples.every(({ values: [bytes] }) => bytes! > 0));
    assert.ok(samples.some(({ files }) => files.some((file) => file.startsWith(sources))));
  });

  it('--contention-profiling says how late turns of the event loop were', async () => {
    await start('--contention-profiling');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
    const { values, samples } = readProfile((await page('block')).body);
    assert.deepEqual(values, ['contentions/count', 'delay/nanoseconds']);
    assert.ok(
      samples.some(({ stack, values: [, ns] }) => /late by up to (256|512|1024) ms/.test(stack[0]!) && ns! > 128e6),
      JSON.stringify(samples),
    );
  });

  it('has a page of what there is, and says what there is not', async () => {
    await start();
    const index = await page('');
    assert.deepEqual([index.status, index.headers['content-type']], [200, 'text/html; charset=utf-8']);
    assert.match(index.body.toString(), /<a href="heap">/);
    assert.doesNotMatch(index.body.toString(), /<a href="block">/);
    const redirect = await server.client.get('/debug/pprof');
    assert.deepEqual([redirect.status, redirect.headers.location], [301, '/debug/pprof/']);
    assert.equal((await page('cmdline')).body.toString(), process.argv.join('\0'));
    assert.equal((await server.client.post('/debug/pprof/symbol', '0x1234')).body.toString(), 'num_symbols: 0\n');
    for (const name of ['goroutine', 'threadcreate', 'allocs', 'mutex', 'trace']) {
      const { status, body } = await page(name);
      assert.deepEqual([status, body.toString()], [404, `There is no such profile of this server: ${name}\n`]);
    }
    for (const name of ['other', 'heap/', '../../etc/passwd', '__proto__', '%68eap'])
      assert.equal((await page(name)).status, 404, name);
    const block = await page('block');
    assert.deepEqual(
      [block.status, block.body.toString()],
      [404, 'Delays of the event loop are recorded with --contention-profiling\n'],
    );
    for (const method of ['POST', 'PUT', 'DELETE', 'HEAD'])
      assert.equal((await server.client.send(method, '/debug/pprof/heap')).status, 405, method);
  });

  it('--profiling=false: the paths are like any other that there is not', async () => {
    await start('--profiling=false', '--contention-profiling');
    for (const path of [
      '/debug/pprof',
      '/debug/pprof/',
      '/debug/pprof/profile',
      '/debug/pprof/heap',
      '/debug/pprof/block',
      '/debug/pprof/cmdline',
    ]) {
      const { status, body } = await server.client.get(path);
      assert.deepEqual([status, body.toString()], [404, '404 page not found\n'], path);
    }
  });

  it('is for administrators, and for whom a role names its paths', async () => {
    await start();
    const asAda = (url: string): Promise<Answer> => server.client.get(url, { 'impersonate-user': 'ada' });
    for (const path of [
      '/debug/pprof',
      '/debug/pprof/',
      '/debug/pprof/profile?seconds=1',
      '/debug/pprof/heap',
      '/debug/pprof/cmdline',
    ])
      assert.equal((await asAda(path)).status, 403, path);
    assert.equal(
      (await server.client.send('GET', '/debug/pprof/heap', { headers: { authorization: '' } })).status,
      403,
    );
    await server.client.post('/apis/rbac.authorization.k8s.io/v1/clusterroles', {
      metadata: { name: 'profiler' },
      rules: [{ nonResourceURLs: ['/debug/pprof/heap'], verbs: ['get'] }],
    });
    await server.client.post('/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
      metadata: { name: 'profiler' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'profiler' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'ada' }],
    });
    assert.deepEqual(
      [(await asAda('/debug/pprof/heap')).status, (await asAda('/debug/pprof/cmdline')).status],
      [200, 403],
    );
  });

  it('refuses times that are none', async () => {
    await start();
    for (const seconds of [
      '0',
      '-1',
      '1e9',
      '601',
      '999999999999',
      'NaN',
      'Infinity',
      '1.5',
      '0x10',
      ' 1',
      'x'.repeat(10_000),
    ]) {
      const { status, body } = await page(`profile?seconds=${encodeURIComponent(seconds)}`);
      assert.deepEqual([status, body.toString()], [400, RANGE], seconds.slice(0, 20));
    }
  });

  it('makes one CPU profile at a time', async () => {
    await start();
    const answers = await Promise.all([1, 2, 3].map(() => page('profile?seconds=1')));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 500, 500]);
    assert.equal(answers.find(({ status }) => status === 500)!.body.toString(), IN_USE);
  });

  it('ends a profile whose client leaves', async () => {
    await start();
    const first = await begin(600);
    first.leave();
    await untilFree();
    const session = http2.connect(server.running.url, { rejectUnauthorized: false });
    const stream = session.request({
      ':path': '/debug/pprof/profile?seconds=600',
      authorization: `Bearer ${server.client.token}`,
    });
    stream.on('error', () => undefined);
    await once(session, 'remoteSettings');
    await untilRecording();
    stream.close(http2.constants.NGHTTP2_CANCEL);
    await untilFree();
    session.close();
  });

  it('is neither timed out nor counted among the requests in flight', async () => {
    await start('--request-timeout=500ms', '--max-requests-inflight=1');
    const profile = await begin(5);
    assert.equal((await server.client.get('/api/v1/namespaces', { 'impersonate-user': 'ada' })).status, 403);
    assert.ok(readProfile(await profile.answer).durationMs >= 4900);
  });

  it('does not keep the server from stopping', async () => {
    await start();
    const profile = await begin(600);
    await server.stop();
    await Promise.allSettled([profile.answer]);
    await start();
    await untilFree();
  });
});
