import assert from 'node:assert/strict';
import type { RawRequest } from './request-context.ts';
import { headersWith, headerValues, removeHeader, removeHeaders, replaceHeader } from './request-headers.ts';

describe('request headers', () => {
  const request = () =>
    ({
      headers: { 'x-group': 'a, b, c', 'x-user': 'u', host: 'h' },
      rawHeaders: ['X-Group', 'a, b', 'Host', 'h', 'x-group', 'c', 'X-User', 'u'],
    }) as unknown as RawRequest;

  it('come apart as they were sent', () => {
    assert.deepEqual(headerValues(request(), 'X-GROUP'), ['a, b', 'c']);
    assert.deepEqual(headerValues(request(), 'a, b'), []);
    assert.deepEqual(headerValues(request(), 'x-none'), []);
  });

  it('are found by how they begin', () => {
    assert.deepEqual(
      [...headersWith(request(), 'x-')],
      [
        ['x-group', ['a, b', 'c']],
        ['x-user', ['u']],
      ],
    );
    assert.deepEqual([...headersWith(request(), 'y-')], []);
  });

  it('are read as UTF-8 where they are', () => {
    const asSent = (...values: Buffer[]) =>
      ({ rawHeaders: values.flatMap((value) => ['x', value.toString('latin1')]) }) as unknown as RawRequest;
    const sent = asSent(
      Buffer.from('Jörg'),
      Buffer.from('ジェーン'),
      Buffer.from('J\xf6rg', 'latin1'),
      Buffer.from('plain'),
    );
    assert.deepEqual(headerValues(sent, 'x'), ['Jörg', 'ジェーン', 'J\xf6rg', 'plain']);
    assert.deepEqual(headersWith(sent, 'x').get('x'), headerValues(sent, 'x'));
  });

  it('are one once replaced', () => {
    const changed = request();
    replaceHeader(changed, 'x-group', 'd');
    assert.deepEqual(
      [changed.headers, changed.rawHeaders],
      [{ 'x-user': 'u', host: 'h', 'x-group': 'd' }, ['Host', 'h', 'X-User', 'u', 'x-group', 'd']],
    );
  });

  it('are gone once removed', () => {
    const changed = request();
    removeHeaders(changed, (name) => name.startsWith('x-'));
    assert.deepEqual([changed.headers, changed.rawHeaders], [{ host: 'h' }, ['Host', 'h']]);
  });

  it('are gone one by one', () => {
    const changed = request();
    removeHeader(changed, 'x-group');
    removeHeader(changed, 'x-none');
    assert.deepEqual([changed.headers['x-group'], changed.rawHeaders], [undefined, ['Host', 'h', 'X-User', 'u']]);
  });
});
