import assert from 'node:assert/strict';
import protobuf from 'protobufjs/minimal.js';
import { readJSONSchemaProps } from '../../generated/codecs/apiextensions-v1.ts';
import type { Writer } from './wire.ts';

/** How a schema with one field, written by hand, is read. */
function schemaWith(field: number, write: (w: Writer) => Writer): Record<string, unknown> {
  const w = protobuf.Writer.create();
  w.uint32((field << 3) | 2).fork();
  write(w).ldelim();
  const bytes = w.finish();
  return readJSONSchemaProps(protobuf.Reader.create(bytes), bytes.length) as Record<string, unknown>;
}

describe('choices inside schemas', () => {
  const empty = (w: Writer): Writer => w;
  it('that are empty are schemas without requirements, or forbid', () => {
    assert.deepEqual(schemaWith(24, empty)['items'], {});
    assert.equal(schemaWith(30, empty)['additionalProperties'], false);
    assert.deepEqual(schemaWith(32, (w) => w.uint32(10).string('a'))['dependencies'], { a: {} });
    assert.deepEqual(schemaWith(32, (w) => w.uint32(10).string('a').uint32(18).fork().ldelim())['dependencies'], {
      a: {},
    });
  });

  it('are lists where they hold several', () => {
    assert.deepEqual(
      (schemaWith(24, (w) => w.uint32(18).fork().ldelim().uint32(18).fork().ldelim())['items'] as unknown[]).length,
      2,
    );
    assert.deepEqual(
      schemaWith(32, (w) => w.uint32(10).string('a').uint32(18).fork().uint32(18).string('b').ldelim())['dependencies'],
      { a: ['b'] },
    );
  });
});
