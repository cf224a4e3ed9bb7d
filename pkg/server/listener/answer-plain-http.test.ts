import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createSecureServer, type Http2SecureServer } from 'node:http2';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readKeyPair } from '../tls/key-pair-files.ts';
import { ensureSelfSigned } from '../tls/self-signed.ts';
import { answerPlainHttp } from './answer-plain-http.ts';

describe('answerPlainHttp', () => {
  let server: Http2SecureServer;

  before(async () => {
    const dir = mkdtempSync(path.join(tmpdir(), 'binnacle-plain-http-'));
    server = createSecureServer({ ...readKeyPair(ensureSelfSigned(dir, ['127.0.0.1'])), allowHTTP1: true });
    rmSync(dir, { recursive: true });
    answerPlainHttp(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  after(() => new Promise((resolve) => void server.close(resolve)));

  async function allThatIsSaidTo(bytes: string): Promise<string> {
    const client: Socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    client.write(bytes);
    let text = '';
    for await (const part of client) text += String(part);
    return text;
  }

  it('tells a client without TLS what is wrong, and disconnects', async () => {
    assert.equal(
      await allThatIsSaidTo('GET /api HTTP/1.1\r\nHost: binnacle\r\n\r\n'),
      'HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n',
    );
  });

  it('answers a client that continues to send', async () => {
    assert.match(
      await allThatIsSaidTo(
        `POST /api HTTP/1.1\r\nHost: binnacle\r\nContent-Length: 10000\r\n\r\n${'x'.repeat(10_000)}`,
      ),
      /HTTP request to an HTTPS server/,
    );
  });

  it('sends nothing to a client without HTTP', async () => {
    assert.doesNotMatch(await allThatIsSaidTo('\0\0\0 nonsense that is no TLS').catch(() => ''), /HTTP request/);
  });
});
