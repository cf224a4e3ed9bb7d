import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { HeaderFields } from './forwarded-headers.ts';
import { rewritePage } from './rewrite-page.ts';
import type { ForwardedAnswer } from './send-answer.ts';

describe('rewritePage', () => {
  const prefix = '/api/v1/nodes/n/proxy';
  const place = {
    prefix,
    backend: { scheme: 'http', host: '10.0.0.1', port: 8080, isTrusted: false, dialTimeoutMs: 1 },
    sentHost: 'api:6443',
  } as const;
  const page = '<a href="/a">a</a><a href="http://10.0.0.1:8080/b">b</a><a href="//elsewhere/c">c</a>';
  const rewritten = `<a href="${prefix}/a">a</a><a href="${prefix}/b">b</a><a href="//elsewhere/c">c</a>`;
  const answer = (headers: HeaderFields, body: string | Buffer = page, status = 200): ForwardedAnswer => ({
    status,
    headers,
    body: Readable.from([Buffer.from(body)]),
    source: new PassThrough() as unknown as IncomingMessage,
  });
  const html = { 'content-type': ['text/html; charset=utf-8'] };

  it('makes links of a page lead through the proxy, and drops the outdated length', async () => {
    const { status, headers, body } = rewritePage(
      answer({ ...html, 'content-length': [String(page.length)], 'x-own': ['v'] }),
      place,
    );
    assert.deepEqual([status, headers, (await buffer(body)).toString()], [200, { ...html, 'x-own': ['v'] }, rewritten]);
  });

  it('does so in compressed pages', async () => {
    const { headers, body } = rewritePage(answer({ ...html, 'content-encoding': ['gzip'] }, gzipSync(page)), place);
    assert.deepEqual([headers['content-encoding'], gunzipSync(await buffer(body)).toString()], [['gzip'], rewritten]);
  });

  it('leaves other content unchanged, and pages that it cannot read', () => {
    const others: ForwardedAnswer[] = [
      answer({}),
      answer({ 'content-type': ['text/plain'] }),
      answer({ 'content-type': ['application/xhtml+xml'] }),
      answer({ ...html, 'content-encoding': ['br'] }),
      answer({ ...html, 'content-encoding': ['gzip', 'gzip'] }),
      answer(html, page, 206),
      ...[204, 205, 304].map((status) => answer({ ...html, 'content-encoding': ['gzip'] }, '', status)),
      answer({ ...html, 'content-encoding': ['gzip'], 'content-length': ['0'] }, ''),
      answer({ ...html, location: ['/x'] }, page, 302),
    ];
    for (const other of others) assert.equal(rewritePage(other, place), other, JSON.stringify(other.headers));
  });

  it('escapes the path of the proxy in a page', async () => {
    const { body } = rewritePage(answer(html), { ...place, prefix: '/x"><script>\'&' });
    assert.ok((await buffer(body)).toString().startsWith('<a href="/x&#34;&#62;&#60;script&#62;&#39;&#38;/a">'));
  });

  it('breaks off with a page that does, and with one that unpacks without end', async () => {
    const broken = new PassThrough();
    const { body } = rewritePage({ ...answer(html), body: broken }, place);
    broken.write('<p>');
    assert.equal(String((await once(body, 'data'))[0]), '<p>');
    const failed = once(body, 'error');
    broken.destroy();
    assert.equal(
      ((await failed.catch((error: unknown) => [error]))[0] as NodeJS.ErrnoException).code,
      'ERR_STREAM_PREMATURE_CLOSE',
    );
    const bomb = rewritePage(
      answer({ ...html, 'content-encoding': ['gzip'] }, gzipSync(Buffer.alloc(17 * 1024 * 1024))),
      place,
    );
    await assert.rejects(buffer(bomb.body), /the page is longer than 16777216 bytes/);
    await assert.rejects(
      buffer(rewritePage(answer({ ...html, 'content-encoding': ['gzip'] }, 'no gzip'), place).body),
      { code: 'Z_DATA_ERROR' },
    );
  });
});
