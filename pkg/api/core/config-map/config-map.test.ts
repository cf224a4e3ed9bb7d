import assert from 'node:assert/strict';
import { cells, create, update } from '../../kind-testing.ts';
import { configMap } from './config-map.ts';

const FROZEN = 'Forbidden: field is immutable when `immutable` is set';

function body(rest: object): object {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, ...rest };
}

describe('configmaps', () => {
  it('keeps data of both kinds, keys such as __proto__ included', () => {
    const created = create(
      configMap,
      'v1',
      JSON.parse('{"metadata":{"name":"c"},"data":{"__proto__":"a","x":"y"},"binaryData":{"b":"/wA="}}'),
    );
    assert.deepEqual(created.texts, []);
    assert.equal(JSON.stringify(created.as('v1').data), '{"__proto__":"a","x":"y"}');
    assert.deepEqual(cells(configMap, created.object), ['c', 3, '0s']);
  });

  it('refuses bad keys and keys in both maps', () => {
    const { texts } = create(
      configMap,
      'v1',
      body({ data: { 'bad key': 'x', a: 'x' }, binaryData: { a: '', '..': '' } }),
    );
    assert.deepEqual(
      texts.map((t) => t.replace(/\(e\.g.*\)$/, '(...)')),
      [
        'data[a]: Invalid value: "a": duplicate of key present in binaryData',
        `data[bad key]: Invalid value: "bad key": a valid config key must consist of alphanumeric characters, '-', '_' or '.' (...)`,
        `binaryData[..]: Invalid value: "..": must not be '..'`,
      ],
    );
  });

  it('holds at most a mebibyte', () => {
    assert.deepEqual(create(configMap, 'v1', body({ data: { a: 'x'.repeat(1048576) } })).texts, []);
    assert.deepEqual(
      create(configMap, 'v1', body({ data: { a: 'x'.repeat(1048574) }, binaryData: { b: '/wAA' } })).texts,
      ['[]: Too long: must have at most 1048576 bytes'],
    );
  });

  it('freezes content when immutable', () => {
    const { object } = create(configMap, 'v1', body({ immutable: true, data: { a: 'x' } }));
    object.metadata.resourceVersion = '1';
    assert.deepEqual(update(configMap, 'v1', object, (o) => void (o.metadata.labels = { a: 'b' })).texts, []);
    assert.deepEqual(
      update(configMap, 'v1', object, (o) => {
        delete o.immutable;
        o.data.a = 'y';
        o.binaryData = { b: '' };
      }).texts,
      [`immutable: ${FROZEN}`, `data: ${FROZEN}`, `binaryData: ${FROZEN}`],
    );
  });
});
