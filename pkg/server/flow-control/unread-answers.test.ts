import assert from 'node:assert/strict';
import { requestOf } from '../filters/filter-testing.ts';
import { UnreadAnswers } from './unread-answers.ts';

describe('UnreadAnswers', () => {
  const ask = (unread: UnreadAnswers, name: string, method = 'GET', url = '/api/v1/pods'): number => {
    try {
      unread.check(requestOf(method, url, {}, { name, groups: [] }).context);
      return 200;
    } catch (error) {
      return (error as { status: { code: number } }).status.code;
    }
  };

  it('refuses reads of users with too many unread bytes, until they are read', () => {
    const unread = new UnreadAnswers({ processBytes: 1000, userBytes: 100 });
    const wasRead = unread.add('hog', 100);
    const one = '/api/v1/namespaces/a/pods/p';
    assert.deepEqual(
      [ask(unread, 'hog'), ask(unread, 'hog', 'GET', one), ask(unread, 'hog', 'POST'), ask(unread, 'other')],
      [429, 200, 200, 200],
    );
    const more = unread.add('hog', 100);
    assert.equal(ask(unread, 'hog', 'GET', one), 429);
    more();
    wasRead();
    assert.deepEqual([ask(unread, 'hog'), unread.bytes], [200, 0]);
  });

  it('refuses reads of users with some when all together have too many', () => {
    const unread = new UnreadAnswers({ processBytes: 150, userBytes: 100 });
    for (const user of ['a', 'b']) unread.add(user, 80);
    assert.deepEqual(
      ['a', 'b', 'c'].map((user) => ask(unread, user)),
      [429, 429, 200],
    );
  });
});
