import assert from 'node:assert/strict';
import type { TableDefinition } from '../../api/resource-definition.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import { StatusError } from '../../apimachinery/errors/status-error.ts';
import type { Representation } from '../../storage/cacher/cached-object.ts';
import { joinPieces } from '../answers/piece.ts';
import { cached, listBytes, resourceAt } from './cached-testing.ts';
import { parseIncludeObject, TableForm, type IncludeObject } from './table-form.ts';

const target = resourceAt('v1', 'configmaps');
const map = (name: string, revision = 7) => cached(target, { metadata: { name }, data: { a: 'b' } }, revision);
const full: Representation = {
  key: 'full',
  cacheable: false,
  encode: (object) => Buffer.from(JSON.stringify(object.object())),
};
const table: TableDefinition<ApiObject> = {
  columns: [
    { name: 'Name', type: 'string', format: 'name', description: 'N.' },
    { name: 'Size', type: 'integer', description: 'S.', priority: 1 },
  ],
  row: ({ metadata }) => ({
    cells: [metadata.name ?? '', 3],
    ...(metadata.name === 'done'
      ? { conditions: [{ type: 'Completed', status: 'True', reason: 'Done', message: 'm' }] }
      : {}),
  }),
};
const columnDefinitions = [
  { name: 'Name', type: 'string', format: 'name', description: 'N.', priority: 0 },
  { name: 'Size', type: 'integer', format: '', description: 'S.', priority: 1 },
];
const partial = (name: string, revision = 7) => ({
  kind: 'PartialObjectMetadata',
  apiVersion: 'meta.k8s.io/v1',
  metadata: { name, resourceVersion: String(revision) },
});

const formOf = (
  include: IncludeObject = 'Metadata',
  version: 'v1' | 'v1beta1' = 'v1',
  definition: TableDefinition<ApiObject> | undefined = table,
) => new TableForm(version, definition, include, full, []);
const parse = (bytes: Uint8Array) => JSON.parse(Buffer.from(bytes).toString());

describe('TableForm', () => {
  it('shows one object as a table of one row', () => {
    assert.deepEqual(parse(Buffer.concat(formOf().single(map('a')))), {
      kind: 'Table',
      apiVersion: 'meta.k8s.io/v1',
      metadata: { resourceVersion: '7' },
      columnDefinitions,
      rows: [{ cells: ['a', 3], object: partial('a') }],
    });
  });

  it('puts a list together, conditions included', () => {
    const { metadata, rows } = parse(
      listBytes(formOf(), { resourceVersion: '9', continue: 'c', remainingItemCount: 1 }, [map('a'), map('done')]),
    );
    assert.deepEqual(metadata, { resourceVersion: '9', continue: 'c', remainingItemCount: 1 });
    assert.deepEqual(
      rows.map((r: { conditions?: { type: string }[] }) => r.conditions?.[0]?.type),
      [undefined, 'Completed'],
    );
    assert.deepEqual(parse(listBytes(formOf(), { resourceVersion: '9' }, [])).rows, []);
  });

  it('makes the same row whole and in pieces', () => {
    for (const include of ['None', 'Metadata', 'Object'] as const) {
      const form = formOf(include);
      const whole = Buffer.from(form.item.encode(map('done')));
      assert.equal(joinPieces(form.pieces(map('done')), whole.length).toString(), whole.toString());
    }
  });

  it('carries of its objects what was asked for', () => {
    const object = (include: IncludeObject, version?: 'v1beta1') =>
      parse(Buffer.concat(formOf(include, version).single(map('a')))).rows[0].object;
    assert.equal(object('None'), null);
    assert.equal(object('Object').data.a, 'b');
    assert.equal(object('Metadata', 'v1beta1').apiVersion, 'meta.k8s.io/v1beta1');
  });

  it('defines the columns in the first event of a watch alone', () => {
    for (const first of ['frame', 'bookmark'] as const) {
      const form = formOf();
      const opening = first === 'frame' ? form.frame('ADDED', map('a')) : form.bookmark(7, true);
      assert.deepEqual(parse(opening).object.columnDefinitions, columnDefinitions, first);
      assert.equal(parse(form.frame('MODIFIED', map('a', 8))).object.columnDefinitions, null);
      assert.equal(parse(form.bookmark(9, false)).object.columnDefinitions, null);
    }
  });

  it('never shares its events with another watch', () => {
    const [one, other] = [formOf(), formOf()];
    assert.notEqual(one.item.key, other.item.key);
    assert.equal(one.item.cacheable, false);
  });

  it('frames events, bookmarks and errors', () => {
    const form = formOf();
    const { type, object } = parse(form.frame('DELETED', map('a', 12)));
    assert.deepEqual([type, object.metadata, object.rows[0].cells], ['DELETED', { resourceVersion: '12' }, ['a', 3]]);
    const bookmark = parse(form.bookmark(13, true));
    assert.deepEqual(
      [bookmark.type, bookmark.object.rows[0].object.metadata],
      ['BOOKMARK', { resourceVersion: '13', annotations: { 'k8s.io/initial-events-end': 'true' } }],
    );
    assert.deepEqual(parse(form.errorFrame({ code: 410 })), { type: 'ERROR', object: { code: 410 } });
  });

  it('falls back to name and creation time', () => {
    const { columnDefinitions: columns, rows } = parse(
      Buffer.concat(new TableForm('v1', undefined, 'None', full, []).single(map('a'))),
    );
    assert.deepEqual(
      columns.map((c: { name: string }) => c.name),
      ['Name', 'Created At'],
    );
    assert.deepEqual(rows, [{ cells: ['a', null], object: null }]);
  });
});

describe('parseIncludeObject', () => {
  for (const [value, include] of [
    [null, 'Metadata'],
    ['', 'Metadata'],
    ['Metadata', 'Metadata'],
    ['Object', 'Object'],
    ['None', 'None'],
  ] as const) {
    it(`reads ${value ?? 'none'}`, () => assert.equal(parseIncludeObject(value), include));
  }
  it('refuses others', () =>
    assert.throws(
      () => parseIncludeObject('none'),
      (e) =>
        e instanceof StatusError &&
        e.code === 400 &&
        e.message.endsWith(`Invalid value: "none": must be 'Metadata', 'Object', 'None', or empty`),
    ));
});
