import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { pageFileTypes, type PageFileName } from '../../pkg/server/api-page/page-files.ts';
import { generateApiPage } from './generate-api-page.ts';

const root = path.resolve(import.meta.dirname, '../..');

describe('the files of the API page', () => {
  let files: Record<PageFileName, string>;
  before(async () => {
    const packed = JSON.parse(await generateApiPage()) as Record<PageFileName, string>;
    files = Object.fromEntries(
      Object.entries(packed).map(([name, base64]) => [name, gunzipSync(Buffer.from(base64, 'base64')).toString()]),
    ) as Record<PageFileName, string>;
  });

  it('are those that the server knows', () => {
    assert.deepEqual(Object.keys(files), Object.keys(pageFileTypes));
  });

  it("have the package's script unchanged, with the licences it asks for", () => {
    const script = readFileSync(createRequire(import.meta.url).resolve('swagger-ui-dist/swagger-ui-bundle.js'), 'utf8');
    assert.equal(files['swagger-ui-bundle.js'], script);
    assert.match(script.slice(0, 200), /For license information please see swagger-ui-bundle\.js\.LICENSE\.txt/);
    assert.match(files['swagger-ui.LICENSE.txt'], /^swagger-ui\nCopyright [^]*Apache License/);
  });

  it('name no other server', () => {
    for (const name of ['index.html', 'page.css', 'page.js', 'swagger-ui.css'] as const) {
      const urls = [...files[name].matchAll(/https?:\/\/[^\s"')\\]+/g)]
        .map(([url]) => url)
        .filter((url) => !url.startsWith('http://www.w3.org/'));
      assert.deepEqual(urls, [], name);
    }
    assert.doesNotMatch(files['swagger-ui.css'] + files['swagger-ui-bundle.js'].slice(-200), /sourceMappingURL/);
  });

  it('come from a package whose tracker is turned off', () => {
    const { scarfSettings } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
      scarfSettings?: { enabled: boolean };
    };
    assert.equal(scarfSettings?.enabled, false);
  });
});
