import assert from 'node:assert/strict';
import { requestOf } from '../filters/filter-testing.ts';
import { negotiateAnswer, wantsPretty } from './negotiate-answer.ts';

const request = (query: string, headers: Record<string, string>) =>
  requestOf('GET', `/api/v1/pods${query}`, headers).context;

describe('wantsPretty', () => {
  const asked: readonly (readonly [query: string, userAgent: string | undefined, pretty: boolean])[] = [
    ['', undefined, false],
    ['', 'kubectl/v1.32.3 (linux/amd64) kubernetes/32cc146', false],
    ['', 'my-curl/1.0', false],
    ['', 'curl/8.5.0', true],
    ['', 'Wget/1.21', true],
    ['', 'Mozilla/5.0 (X11; Linux x86_64)', true],
    ['?pretty', 'curl/8.5.0', true],
    ['?pretty=false', 'curl/8.5.0', false],
    ['?pretty=nonsense', 'curl/8.5.0', false],
    ['?pretty=0&pretty=1', undefined, false],
    ['?limit=1&pretty=true', undefined, true],
    ['?pretty=T', undefined, true],
    ['?pretty=yes', undefined, false],
  ];
  for (const [query, userAgent, pretty] of asked) {
    it(`is ${pretty} for ${JSON.stringify(query)} from ${userAgent ?? 'nobody in particular'}`, () =>
      assert.equal(wantsPretty(request(query, userAgent === undefined ? {} : { 'user-agent': userAgent })), pretty));
  }
});

describe('negotiateAnswer', () => {
  const pretty = (accept: string, query = ''): boolean =>
    negotiateAnswer(request(query, { accept }), { protobuf: true, transforms: 'all' }).pretty;
  it('reads the preference of the Accept header as well', () =>
    assert.deepEqual(
      [
        pretty('application/json'),
        pretty('application/json;pretty=1'),
        pretty('application/json;pretty=1', '?pretty=0'),
      ],
      [false, true, true],
    ));
  it('indents JSON alone', () =>
    assert.deepEqual(
      ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'].map((accept) =>
        pretty(accept, '?pretty=1'),
      ),
      [true, false, false],
    ));
});
