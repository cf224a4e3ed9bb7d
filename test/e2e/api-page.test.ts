/** The page of `--enable-apidoc-ui` in a real browser: what a person sees and does on it. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Browser, Locator, Page } from 'playwright-core';
import { ApiClient } from '../fixtures/api-client.ts';
import { startBinnacle, type BinnacleProcess } from '../fixtures/binnacle-process.ts';
import { openBrowser, openWatchedPage } from '../fixtures/browser.ts';
import { startKubectlProxy } from '../fixtures/kubectl-proxy.ts';

/** Screenshots stay there when it is set. */
const kept = process.env['SCREENSHOTS'];
/** Without the pictures that stand in the page itself. */
const elsewhere = (requested: readonly string[], origin: string): string[] =>
  requested.filter((url) => new URL(url).origin !== origin && !url.startsWith('data:'));
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

describe('the API page in a browser', function () {
  this.timeout(240_000);
  let server: BinnacleProcess;
  let client: ApiClient;
  let browser: Browser;
  const pictures = kept ?? mkdtempSync(path.join(tmpdir(), 'binnacle-pictures-'));

  before(async () => {
    server = await startBinnacle(['--enable-apidoc-ui']);
    client = new ApiClient(server.url, server.token);
    browser = await openBrowser();
  });
  after(async () => {
    await browser?.close();
    client?.close();
    await server?.stop();
    if (kept === undefined) rmSync(pictures, { recursive: true, force: true });
  });

  const picture = async (page: Page, name: string): Promise<void> => {
    const bytes = await page.screenshot({ path: path.join(pictures, `${name}.png`) });
    assert.ok(bytes.length > 10_000, `${name}.png: ${bytes.length} bytes`);
  };
  const logIn = async (page: Page, token: string): Promise<void> => {
    await page.getByLabel('Bearer token').fill(token);
    await page.getByRole('button', { name: 'Use' }).click();
  };
  const operation = (page: Page, id: string): Locator => page.locator(`[id$="-${id}"].opblock`);

  it('asks for a token, and then shows the operations of each group version', async () => {
    const { page, requested, complaints } = await openWatchedPage(browser);
    await page.goto(`${server.url}/swagger-ui/`);
    assert.equal(page.url(), `${server.url}/apidoc/`);
    await page.getByText('Type in the token').waitFor();
    await picture(page, 'no-token');
    // What the browser says of the answer to a question without a token.
    assert.deepEqual(
      complaints.splice(0).map((text) => /status of (\d+)/.exec(text)?.[1]),
      ['403'],
    );

    await logIn(page, server.token);
    await operation(page, 'listCoreV1ConfigMapForAllNamespaces').waitFor();
    assert.equal(await page.getByText('Type in the token').count(), 0);
    await page.getByLabel('Document').selectOption('apis/apps/v1');
    const list = operation(page, 'listAppsV1NamespacedDeployment');
    await list.waitFor();
    assert.match(
      await list.innerText(),
      /GET\s+\/apis\/apps\/v1\/namespaces\/\{namespace\}\/deployments\s+List or watch objects of kind Deployment\./,
    );
    const { json } = await client.get('/openapi/v3/apis/apps/v1');
    const count = Object.values(json.paths as Record<string, Record<string, { operationId?: string }>>)
      .flatMap((item) => Object.values(item))
      .filter((part) => part?.operationId !== undefined).length;
    await page
      .locator('.opblock')
      .nth(count - 1)
      .waitFor();
    await picture(page, 'operations');

    assert.deepEqual(elsewhere(requested, server.url), []);
    assert.deepEqual(complaints, []);
    await page.context().close();
  });

  it('sends requests that a user tries out, with the token and without showing it', async () => {
    await client.post('/api/v1/namespaces/default/configmaps', {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'seen-on-the-page' },
      data: { key: '<img src=x onerror=alert(1)>' },
    });
    const { page, requested, complaints } = await openWatchedPage(browser);
    await page.goto(`${server.url}/apidoc/?document=api/v1`);
    await page.getByText('Type in the token').waitFor();
    complaints.length = 0;
    await logIn(page, server.token);
    const read = operation(page, 'readCoreV1NamespacedConfigMap');
    await read.locator('.opblock-summary-control').click();
    await read.getByRole('button', { name: 'Try it out' }).click();
    await read.locator('tr[data-param-name=namespace] input').fill('default');
    await read.locator('tr[data-param-name=name] input').fill('seen-on-the-page');
    await read.getByRole('button', { name: 'Execute' }).click();
    const answer = read.locator('.live-responses-table');
    await answer.waitFor();
    const shown = await answer.innerText();
    assert.match(shown, /200/);
    assert.match(shown, /"key": "<img src=x onerror=alert\(1\)>"/);
    assert.ok(requested.includes(`${server.url}/api/v1/namespaces/default/configmaps/seen-on-the-page`));
    await read.locator('.responses-wrapper').scrollIntoViewIfNeeded();
    await picture(page, 'tried-out');

    assert.ok(!(await page.content()).includes(server.token));
    assert.deepEqual(await page.evaluate('[localStorage.length, sessionStorage.length, document.cookie]'), [0, 0, '']);
    assert.deepEqual(complaints, []);
    await page.context().close();
  });

  it('takes neither documents nor servers from its URL', async () => {
    const { page, requested } = await openWatchedPage(browser);
    const evil = encodeURIComponent('https://evil.example/openapi.json');
    await page.goto(
      `${server.url}/apidoc/?url=${evil}&configUrl=${evil}&document=${evil}&urls.primaryName=${evil}&validatorUrl=${evil}`,
    );
    await logIn(page, server.token);
    await operation(page, 'listCoreV1ConfigMapForAllNamespaces').waitFor();
    assert.deepEqual(elsewhere(requested, server.url), []);
    await page.context().close();
  });

  it('needs no token behind kubectl proxy, which has one', async () => {
    const proxy = await startKubectlProxy(server.kubeconfig);
    try {
      const { page, requested, complaints } = await openWatchedPage(browser);
      await page.goto(`${proxy.url}/apidoc/`);
      await operation(page, 'listCoreV1ConfigMapForAllNamespaces').waitFor();
      assert.deepEqual([elsewhere(requested, proxy.url), complaints], [[], []]);
      await page.context().close();
    } finally {
      await proxy.stop();
    }
  });

  it('is served out of the bundle', async () => {
    const resolve = createRequire(import.meta.url).resolve;
    for (const name of ['swagger-ui-bundle.js', 'swagger-ui-bundle.js.LICENSE.txt']) {
      const { status, body } = await client.get(`/apidoc/${name}`);
      assert.deepEqual([status, sha256(body)], [200, sha256(readFileSync(resolve(`swagger-ui-dist/${name}`)))]);
    }
  });
});
