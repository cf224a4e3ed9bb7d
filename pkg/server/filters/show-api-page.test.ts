import assert from 'node:assert/strict';
import { ApiPage } from '../api-page/api-page.ts';
import { respondText } from '../answers/respond.ts';
import { requestOf, sent, type RecordedAnswer } from './filter-testing.ts';
import { showApiPage } from './show-api-page.ts';

describe('showApiPage', () => {
  async function ask(page: ApiPage | undefined, method: string, url: string): Promise<RecordedAnswer> {
    const { context, answer } = requestOf(method, url);
    await showApiPage(page)(async (c) => respondText(c, 404, 'passed on'))(context);
    await sent();
    return answer;
  }

  it('answers paths of the page without authentication', async () => {
    const { status, headers, body } = await ask(new ApiPage(), 'GET', '/apidoc/?document=version');
    assert.deepEqual([status, headers['content-type']], [200, 'text/html; charset=utf-8']);
    assert.match(body, /^<!doctype html>/);
    const head = await ask(new ApiPage(), 'HEAD', '/apidoc/');
    assert.deepEqual([head.status, head.body, head.headers['content-length']], [200, '', headers['content-length']]);
  });

  it('passes on other methods and paths, and everything where there is no page', async () => {
    const passed = [
      await ask(new ApiPage(), 'POST', '/apidoc/'),
      await ask(new ApiPage(), 'OPTIONS', '/apidoc/'),
      await ask(new ApiPage(), 'GET', '/apidoc/other'),
      await ask(new ApiPage(), 'GET', '/api'),
      await ask(undefined, 'GET', '/apidoc/'),
      await ask(undefined, 'GET', '/swagger-ui/'),
    ];
    assert.deepEqual(
      passed.map(({ body }) => body),
      passed.map(() => 'passed on'),
    );
  });
});
