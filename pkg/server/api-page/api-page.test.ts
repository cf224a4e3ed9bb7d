import assert from 'node:assert/strict';
import { gunzipSync } from 'node:zlib';
import type { DocumentAnswer, DocumentRequest } from '../documents/document-answer.ts';
import { ApiPage } from './api-page.ts';
import { pageFileTypes } from './page-files.ts';

describe('ApiPage', () => {
  const page = new ApiPage();
  async function get(path: string, more: Partial<DocumentRequest> = {}): Promise<DocumentAnswer> {
    const answer = await page.answer({ path, ...more });
    assert.ok(answer !== undefined, path);
    return answer;
  }

  it('has every file plain and compressed', async () => {
    for (const [name, contentType] of Object.entries(pageFileTypes)) {
      const [plain, packed] = [
        await get(`/apidoc/${name}`),
        await get(`/apidoc/${name}`, { acceptEncoding: 'gzip, br' }),
      ];
      assert.deepEqual(
        [plain.status, plain.contentType, plain.headers['content-encoding'], packed.headers['content-encoding']],
        [200, contentType, undefined, 'gzip'],
      );
      assert.ok(plain.body.length > 100 && packed.body.length < plain.body.length, name);
      assert.ok(gunzipSync(packed.body).equals(plain.body), name);
    }
  });

  it('begins with its HTML, which has nothing inline and links only to its own files', async () => {
    const html = Buffer.from((await get('/apidoc/')).body).toString();
    assert.equal(html, Buffer.from((await get('/apidoc/index.html')).body).toString());
    const named = [...html.matchAll(/<(?:script|link rel="stylesheet")[^>]* (?:src|href)="([^"]*)"/g)].map(
      (match) => match[1]!,
    );
    assert.equal(named.length, 4);
    for (const name of named) await get(`/apidoc/${name}`);
    assert.doesNotMatch(html, /<script(?![^>]* src=)|<style|\sstyle=|\son\w+=/);
  });

  it('is cached by browsers, which revalidate it', async () => {
    const { etag, headers } = await get('/apidoc/page.js');
    assert.deepEqual(
      [headers['cache-control'], headers['vary'], headers['etag']],
      ['no-cache', 'Accept-Encoding', etag],
    );
    const again = await get('/apidoc/page.js', { ifNoneMatch: etag! });
    assert.deepEqual([again.status, again.body.length], [304, 0]);
    assert.notEqual((await get('/apidoc/page.css')).etag, etag);
  });

  it('forbids browsers to load from elsewhere, and to be framed', async () => {
    for (const name of ['', ...Object.keys(pageFileTypes)]) {
      const { headers } = await get(`/apidoc/${name}`);
      assert.match(
        headers['content-security-policy']!,
        /^default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; .*frame-ancestors 'none'$/,
      );
      assert.deepEqual(
        [headers['x-content-type-options'], headers['x-frame-options'], headers['referrer-policy']],
        ['nosniff', 'DENY', 'no-referrer'],
      );
    }
  });

  it('is found under the path of stock servers', async () => {
    for (const [path, location] of [
      ['/apidoc', 'apidoc/'],
      ['/swagger-ui', 'apidoc/'],
      ['/swagger-ui/', '../apidoc/'],
    ]) {
      const { status, headers } = await get(path!);
      assert.deepEqual(
        [status, headers['location'], new URL(headers['location']!, `https://server${path}`).pathname],
        [301, location, '/apidoc/'],
      );
    }
  });

  it('answers no other path', () => {
    const paths = [
      '/',
      '/apidocs',
      '/apidoc//',
      '/apidoc/nothing',
      '/apidoc/__proto__',
      '/apidoc/constructor',
      '/apidoc/page.js/',
      '/apidoc/./page.js',
      '/apidoc/%70age.js',
      '/apidoc/../api',
      '/APIDOC/',
      '/swagger-ui/index.html',
      '//apidoc/',
      '/x/apidoc/',
    ];
    assert.deepEqual(
      paths.filter((path) => page.answer({ path }) !== undefined),
      [],
    );
  });
});
