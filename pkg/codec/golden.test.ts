import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { convertObject } from './convert-object.ts';

/** Pairs of one object in both forms; a change of the wire format shows as a difference in bytes. */
const dir = fileURLToPath(new URL('../../test/golden', import.meta.url));

describe('Golden objects', () => {
  const names = readdirSync(dir)
    .filter((f) => f.endsWith('.json'))
    .map((f) => f.slice(0, -5));

  it('are there', () => assert.ok(names.length >= 5));

  for (const name of names) {
    const json = readFileSync(path.join(dir, `${name}.json`));
    const protobuf = readFileSync(path.join(dir, `${name}.pb`));

    it(`${name} is encoded to the byte`, () => {
      assert.equal(Buffer.from(convertObject(json, 'json', 'protobuf')).toString('hex'), protobuf.toString('hex'));
    });

    it(`${name} is decoded to the value`, () => {
      assert.deepEqual(
        JSON.parse(Buffer.from(convertObject(protobuf, 'protobuf', 'json')).toString()),
        JSON.parse(json.toString()),
      );
    });

    it(`${name} comes back from YAML`, () => {
      const yaml = convertObject(protobuf, undefined, 'yaml');
      assert.deepEqual(
        JSON.parse(Buffer.from(convertObject(yaml, undefined, 'json')).toString()),
        JSON.parse(json.toString()),
      );
    });
  }
});
