import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { constants, createGzip, gzipSync } from 'node:zlib';
import { configMaps } from '../../api/core/tokens.ts';
import { type HttpsService, startHttpsService } from '../../net/https-service-testing.ts';
import { ConnectionError } from './client.ts';
import { RestClient } from './rest-client.ts';

const name = { namespace: 'n', name: 'a' };
const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: name, data: { k: 'x'.repeat(100_000) } };
const HEADERS = { 'content-type': 'application/json', 'content-encoding': 'gzip' };

describe('compressed answers', () => {
  let service: HttpsService;
  let client: RestClient;
  let answer: (response: ServerResponse) => void;

  const open = (disableCompression: boolean): void => {
    const config = { server: new URL(service.url), ca: service.ca, credentials: {}, disableCompression };
    client = new RestClient(config);
  };
  beforeEach(async () => {
    service = await startHttpsService((_request, response) => answer(response));
  });
  afterEach(async () => {
    client.close();
    await service.close();
  });

  it('are asked for and read, failures too', async () => {
    open(false);
    answer = (response) => response.writeHead(200, HEADERS).end(gzipSync(JSON.stringify(object)));
    assert.deepEqual(await client.get(configMaps, name), object);
    assert.equal(service.received[0]!.headers['accept-encoding'], 'gzip');
    const status = { kind: 'Status', apiVersion: 'v1', status: 'Failure', code: 404, reason: 'NotFound' };
    answer = (response) => response.writeHead(404, HEADERS).end(gzipSync(JSON.stringify(status)));
    await assert.rejects(client.get(configMaps, name), { code: 404, reason: 'NotFound' });
    assert.equal(new Set(service.received.map(({ clientPort }) => clientPort)).size, 1);
  });

  it('are not asked for where that is turned off', async () => {
    open(true);
    answer = (response) => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(object));
    await client.get(configMaps, name);
    assert.equal(service.received[0]!.headers['accept-encoding'], 'identity');
  });

  it('of watches bring each event as it comes', async () => {
    open(false);
    const sizes: number[] = [];
    let write: () => void = () => undefined;
    answer = (response) => {
      const gzip = createGzip();
      gzip.pipe(response.writeHead(200, HEADERS));
      write = () => {
        gzip.write(`${JSON.stringify({ type: 'MODIFIED', object })}\n`);
        gzip.flush(constants.Z_SYNC_FLUSH);
      };
      write();
    };
    for await (const event of client.watch(configMaps)) {
      assert(event.type === 'MODIFIED');
      sizes.push(event.object.data!.k!.length);
      if (sizes.length === 3) break;
      write();
    }
    assert.deepEqual(sizes, [100_000, 100_000, 100_000]);
  });

  it('are bounded by what they hold, not by what was sent', async () => {
    const config = { server: new URL(service.url), ca: service.ca, credentials: {} };
    client = new RestClient(config, { frameBytesMax: 50_000 });
    const frame = JSON.stringify({ type: 'ADDED', object });
    assert.ok(gzipSync(frame).length < 1000);
    answer = (response) => response.writeHead(200, HEADERS).end(gzipSync(`${frame}\n`));
    await assert.rejects(async () => {
      for await (const event of client.watch(configMaps)) assert.fail(event.type);
    }, /a frame of the watch is larger than 50000 bytes/);
  });

  it('that are damaged or break off fail', async () => {
    open(false);
    answer = (response) => response.writeHead(200, HEADERS).end('no gzip');
    await assert.rejects(client.get(configMaps, name), ConnectionError);
    answer = (response) => {
      response.writeHead(200, HEADERS).write(gzipSync(JSON.stringify(object)).subarray(0, 50));
      setTimeout(() => response.destroy(), 10);
    };
    await assert.rejects(client.get(configMaps, name), ConnectionError);
  });
});
