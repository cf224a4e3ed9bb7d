import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { HtmlLinks } from './html-links.ts';

describe('HtmlLinks', () => {
  const rewrite = (reference: string): string => (reference.startsWith('/') ? `/p${reference}` : reference);
  const through = async (page: string, pieceLength: number, bytesMax = Infinity): Promise<string> => {
    const bytes = Buffer.from(page);
    const pieces = Array.from({ length: Math.ceil(bytes.length / pieceLength) }, (_, i) =>
      bytes.subarray(i * pieceLength, (i + 1) * pieceLength),
    );
    return text(Readable.from(pieces).compose(new HtmlLinks({ rewrite, bytesMax })));
  };

  const pages: readonly (readonly [why: string, page: string, expected: string])[] = [
    [
      'links',
      '<pre><a href="b.log">b</a><a class=x href=\'/c.log/\'>c</a> é €</pre>',
      '<pre><a href="b.log">b</a><a class=x href=\'/p/c.log/\'>c</a> é €</pre>',
    ],
    [
      'any other reference',
      '<IMG SRC=/a longdesc="/b"><form action="/c"><input formaction="/d"><video poster=/e src=/f>',
      '<IMG SRC=/p/a longdesc="/p/b"><form action="/p/c"><input formaction="/p/d"><video poster=/p/e src=/p/f>',
    ],
    [
      'no other attributes and elements',
      '<div href="/a" data-href="/b"><a title="/c" name=/d><custom src="/e">',
      '<div href="/a" data-href="/b"><a title="/c" name=/d><custom src="/e">',
    ],
    [
      'scripts by their address alone',
      '<script src="/a">if (x<a) y = \'<a href="/b">\'; </SCRIPT ><a href="/c">',
      '<script src="/p/a">if (x<a) y = \'<a href="/b">\'; </SCRIPT ><a href="/p/c">',
    ],
    [
      'nothing in texts and comments',
      '<title><a href="/a"></title><textarea><a href="/b"></textareas><!-- <a href="/c"> --><!--><a href="/d"><!---><a href="/e">',
      '<title><a href="/a"></title><textarea><a href="/b"></textareas><!-- <a href="/c"> --><!--><a href="/d"><!---><a href="/e">',
    ],
    [
      'what looks like a tag',
      'a < b, a<b, 1<2, </a href="/x">, <!doctype html>, <?xml?>, <',
      'a < b, a<b, 1<2, </a href="/x">, <!doctype html>, <?xml?>, <',
    ],
    ['a page that breaks off', '<a href="/a"><a href="/b', '<a href="/p/a"><a href="/b'],
    ['nothing', '', ''],
  ];
  for (const [why, page, expected] of pages) {
    it(`rewrites ${why}, split at any byte`, async () => {
      for (const pieceLength of [1, 2, 3, 7, 1000])
        assert.equal(await through(page, pieceLength), expected, String(pieceLength));
    });
  }

  it('keeps every byte in any encoding', async () => {
    const page = Buffer.from(Array.from({ length: 256 }, (_, i) => i));
    const received: Buffer[] = [];
    for await (const part of Readable.from([page]).compose(new HtmlLinks({ rewrite, bytesMax: Infinity })))
      received.push(part as Buffer);
    assert.deepEqual(Buffer.concat(received), page);
  });

  it('passes unterminated tags unchanged, in time', async () => {
    const long = `<img src="${'x'.repeat(20_000)}" longdesc="/a"><a href="/b">`;
    assert.equal(await through(long, 1000), long.replace('"/b"', '"/p/b"'));
    for (const piece of ['<a ', '<a b="', '<a b=\'">', '<', '<!--', '<script>', '</script', 'a=', '='.repeat(3), ' ']) {
      const page = `<a ${piece.repeat(300_000)}`;
      assert.equal((await through(page, 65_536)).length, page.length, piece);
    }
  });

  it('ends pages that are too long', async () => {
    assert.equal((await through('x'.repeat(100), 10, 100)).length, 100);
    await assert.rejects(through('x'.repeat(101), 10, 100), { message: 'the page is longer than 100 bytes' });
  });
});
