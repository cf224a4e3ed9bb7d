import assert from 'node:assert/strict';
import { encodeHeader, HeaderBlockReader } from './header-block.ts';

const read = (hex: string) => [...new HeaderBlockReader().read(Buffer.from(hex.replaceAll(' ', ''), 'hex'))];

describe('header blocks', () => {
  it('reads entries of the static table, literals and coded texts', () => {
    // RFC 7541: C.6.1 but for what its dynamic table adds, C.2.1, C.2.2 and C.2.3.
    assert.deepEqual(read('48 82 6402'), [[':status', '302']]);
    assert.deepEqual(read('88'), [[':status', '200']]);
    assert.deepEqual(read('61 96 d07a be94 1054 d444 a820 0595 040b 8166 e082 a62d 1bff'), [
      ['date', 'Mon, 21 Oct 2013 20:13:21 GMT'],
    ]);
    assert.deepEqual(read('400a 6375 7374 6f6d 2d6b 6579 0d63 7573 746f 6d2d 6865 6164 6572'), [
      ['custom-key', 'custom-header'],
    ]);
    assert.deepEqual(read('040c 2f73 616d 706c 652f 7061 7468'), [[':path', '/sample/path']]);
    assert.deepEqual(read('1008 7061 7373 776f 7264 0673 6563 7265 74'), [['password', 'secret']]);
  });

  it('skips the size of the dynamic table', () => {
    assert.deepEqual(read('20 88'), [[':status', '200']]);
  });

  it('reads what it writes', () => {
    const block = Buffer.concat([encodeHeader(':path', '/a/B'), encodeHeader('te', 'trailers')]);
    assert.deepEqual(
      [...new HeaderBlockReader().read(block)],
      [
        [':path', '/a/B'],
        ['te', 'trailers'],
      ],
    );
    for (const length of [126, 127, 128, 253, 254, 255, 256, 40_000]) {
      const text = 'x'.repeat(length);
      assert.equal(new HeaderBlockReader().read(encodeHeader('a', text)).get('a'), text);
    }
  });

  it('caches known blocks, and forgets old ones', () => {
    const reader = new HeaderBlockReader();
    for (let round = 0; round < 2; round++) {
      for (let i = 0; i < 200; i++) assert.equal(reader.read(encodeHeader('n', `${i}`)).get('n'), `${i}`);
    }
  });

  it('refuses blocks that are truncated, refer to a dynamic table, or hold anything but text', () => {
    for (const hex of ['48 82 64', '48 82', '40', 'be', 'ff ff ff ff ff ff', '48 84 ffff ffff', '48 81 00']) {
      assert.throws(() => read(hex), RangeError, hex);
    }
  });
});
