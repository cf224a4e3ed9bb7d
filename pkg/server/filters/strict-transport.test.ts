import assert from 'node:assert/strict';
import { respondText } from '../answers/respond.ts';
import { requestOf } from './filter-testing.ts';
import { strictTransport } from './strict-transport.ts';

describe('strictTransport', () => {
  const cases: readonly (readonly [directives: readonly string[], header: string | undefined])[] = [
    [[], undefined],
    [['max-age=31536000'], 'max-age=31536000'],
    [['max-age=1', 'includeSubDomains', 'preload'], 'max-age=1; includeSubDomains; preload'],
  ];
  for (const [directives, header] of cases) {
    it(`sends ${header ?? 'nothing'} for ${JSON.stringify(directives)}`, async () => {
      const { context, answer } = requestOf('GET', '/version');
      await strictTransport(directives)(async (c) => respondText(c, 200, 'version'))(context);
      assert.deepEqual([answer.status, answer.headers['strict-transport-security']], [200, header]);
    });
  }
});
