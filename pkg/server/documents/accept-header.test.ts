import assert from 'node:assert/strict';
import { accepts, acceptsGzip, parseAccept } from './accept-header.ts';

const names = (header?: string): string[] => parseAccept(header).map((r) => `${r.type}/${r.subtype}`);

describe('Accept header', () => {
  it('takes everything when absent or empty', () => {
    assert.deepEqual(names(undefined), ['*/*']);
    assert.deepEqual(names('  '), ['*/*']);
  });

  it('orders by quality, then by specificity', () => {
    assert.deepEqual(names('*/*, application/*, text/html;q=0.4, application/json, application/yaml;q=0.9'), [
      'application/json',
      'application/*',
      '*/*',
      'application/yaml',
      'text/html',
    ]);
  });

  it('keeps parameters and drops refused or invalid entries', () => {
    const [range, ...rest] = parseAccept('application/json;as="Table" ; V=v1, text/html;q=0, nonsense, /');
    assert.deepEqual(
      [...range!.params],
      [
        ['as', 'Table'],
        ['v', 'v1'],
      ],
    );
    assert.deepEqual(rest, []);
  });

  it('matches whole types, wildcards and odd subtypes', () => {
    const [range] = parseAccept('application/com.github.proto-openapi.spec.v2@v1.0+protobuf');
    assert.equal(accepts(range!, 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf'), true);
    assert.equal(accepts(range!, 'application/json'), false);
    assert.equal(accepts(parseAccept('application/*')[0]!, 'application/json'), true);
    assert.equal(accepts(parseAccept('text/*')[0]!, 'application/json'), false);
  });

  it('recognizes gzip', () => {
    assert.equal(acceptsGzip('deflate, gzip;q=0.5'), true);
    assert.equal(acceptsGzip('gzip;q=0'), false);
    assert.equal(acceptsGzip(undefined), false);
  });
});
