import assert from 'node:assert/strict';
import fc from 'fast-check';
import { readCredentials } from './credentials-file.ts';

describe('readCredentials', () => {
  it('reads names, uids and groups', () => {
    assert.deepEqual(readCredentials('t1,alice,1,"staff,ops"\nt2,bob,2\r\n\n"t,""3""",carol,3,solo'), [
      { secret: 't1', user: { name: 'alice', uid: '1', groups: ['staff', 'ops'] } },
      { secret: 't2', user: { name: 'bob', uid: '2', groups: [] } },
      { secret: 't,"3"', user: { name: 'carol', uid: '3', groups: ['solo'] } },
    ]);
  });

  it('skips lines without a secret', () => {
    assert.deepEqual(readCredentials(',alice,1\n'), []);
    assert.deepEqual(readCredentials(''), []);
  });

  it('refuses short lines and broken quotes without quoting the secret', () => {
    assert.throws(
      () => readCredentials('a,b,c\ns3cret,alice\n'),
      (error: Error) =>
        error.message.startsWith('line 2 must have at least 3 columns') && !error.message.includes('s3cret'),
    );
    assert.throws(
      () => readCredentials('"s3cret,alice,1\n'),
      (error: Error) => error.message.startsWith('line 1 is no CSV') && !error.message.includes('s3cret'),
    );
    assert.throws(() => readCredentials('a,b,c\ns3"cret,alice,1\n'), /^Error: line 2 is no CSV/);
    assert.throws(() => readCredentials('"s"x,alice,1\n'), /no CSV/);
  });

  it('counts lines over values that span several', () => {
    assert.throws(() => readCredentials('"a\nb",c,d\nx,y\n'), /^Error: line 3 must have/);
  });

  it('reads back all quoted values', () => {
    const text = fc.string({ minLength: 1 });
    fc.assert(
      fc.property(fc.array(fc.tuple(text, text, text)), (rows) => {
        const file = rows.map((row) => row.map((value) => `"${value.replaceAll('"', '""')}"`).join(',')).join('\n');
        assert.deepEqual(
          readCredentials(file).map(({ secret, user }) => [secret, user.name, user.uid]),
          rows,
        );
      }),
      { numRuns: 200 },
    );
  });
});
