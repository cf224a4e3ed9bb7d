import assert from 'node:assert/strict';
import { BearerToken } from './bearer-token.ts';

describe('the token of the API page', () => {
  const page = 'https://127.0.0.1:6443';
  let token: BearerToken;
  beforeEach(() => {
    token = new BearerToken(page);
  });

  it("goes to the page's own server", () => {
    token.set('  abc ');
    for (const url of ['/api/v1/pods', `${page}/openapi/v3`])
      assert.deepEqual(token.headersFor(url), { Authorization: 'Bearer abc' });
  });

  it('goes nowhere else', () => {
    token.set('abc');
    for (const url of [
      'https://127.0.0.1:6444/',
      'http://127.0.0.1:6443/',
      'https://127.0.0.1:6443.evil.example/',
      '//evil.example/api',
      'https://a@evil.example/',
      String.raw`\\evil.example`,
      'data:,x',
    ]) {
      assert.deepEqual(token.headersFor(url), {}, url);
    }
  });

  it('may be pasted with its scheme', () => {
    token.set('bearer abc');
    assert.deepEqual(token.headersFor('/'), { Authorization: 'Bearer abc' });
  });

  it('is dropped when the field is emptied', () => {
    token.set('abc');
    token.set(' ');
    assert.deepEqual(token.headersFor('/'), {});
  });
});
