/** Credentials and secrets stand in no log, no metric and no error, whatever way they come in. */
import assert from 'node:assert/strict';
import { head, RawConnection } from './raw-connection.ts';
import { LOW_TOKEN, MARK, startWithLowUser, type LowUserSetting } from './low-user.ts';

const WRONG = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJub2JvZHkifQ.c2lnbmF0dXJlLW9mLW5vYm9keQ';

describe('what must not leak', function () {
  this.timeout(60_000);
  let setting: LowUserSetting;
  before(async () => {
    setting = await startWithLowUser(['--v=6']);
  });
  after(() => setting.stop());

  async function provoke(): Promise<string[]> {
    const { server, low } = setting;
    const answers: string[] = [];
    const keep = async (sent: Promise<{ body: Buffer }>): Promise<void> =>
      void answers.push((await sent).body.toString());
    for (const authorization of [
      `Bearer ${WRONG}`,
      `bearer  ${WRONG} `,
      `Basic ${Buffer.from(`somebody:${WRONG}`).toString('base64')}`,
      `Negotiate ${WRONG}`,
      WRONG,
    ]) {
      await keep(low.send('GET', '/api/v1/pods', { headers: { authorization } }));
    }
    await keep(low.get(`/api/v1/namespaces/mine/configmaps?access_token=${WRONG}&token=${WRONG}`));
    await keep(low.get(`/api/v1/namespaces/mine/secrets?access_token=${WRONG}`));
    await keep(server.client.post('/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token: WRONG } }));
    await keep(
      server.client.post('/api/v1/namespaces/mine/secrets', {
        metadata: { name: 'Not A Name' },
        stringData: { a: MARK },
      }),
    );
    await keep(
      server.client.post('/api/v1/namespaces/mine/secrets', { metadata: { name: 'hidden' }, stringData: { a: MARK } }),
    );
    await keep(
      server.client.put('/api/v1/namespaces/mine/secrets/hidden', {
        metadata: { name: 'hidden' },
        type: 'other',
        stringData: { a: MARK },
      }),
    );
    await keep(
      server.client.patch('/api/v1/namespaces/mine/secrets/hidden', 'json', [
        { op: 'test', path: '/data/a', value: MARK },
      ]),
    );
    await keep(
      server.client.send('POST', '/api/v1/namespaces/mine/secrets', {
        body: `{"stringData":{"a":"${MARK}"`,
        contentType: 'application/json',
      }),
    );
    return answers;
  }

  it('is in no log at the highest verbosity, in no metric and in no error', async () => {
    const answers = (await provoke()).filter((text) => !text.includes('"kind":"TokenReview"'));
    const { body } = await setting.server.client.get('/metrics');
    const texts: readonly (readonly [where: string, text: string])[] = [
      ['the log', setting.log()],
      ['the metrics', body.toString()],
      ['an error', answers.join('\n')],
    ];
    assert.ok(setting.log().includes('/api/v1/namespaces/mine/secrets'), 'requests are logged');
    for (const [where, text] of texts) {
      for (const secret of [
        LOW_TOKEN,
        setting.server.client.token,
        WRONG.slice(0, 30),
        Buffer.from(`somebody:${WRONG}`).toString('base64'),
      ]) {
        const at = text.indexOf(secret);
        assert.equal(at, -1, `${where} has ${text.slice(Math.max(0, at - 200), at + 80)}`);
      }
    }
    for (const [where, text] of texts.slice(0, 2)) assert.equal(text.includes(MARK), false, where);
  });

  it('stands behind an answer that says nothing of what was wrong', async () => {
    const messages = new Set<string>();
    for (const authorization of [
      `Bearer ${WRONG}`,
      'Bearer x',
      `Bearer ${WRONG.slice(0, -1)}`,
      `Bearer ${LOW_TOKEN}x`,
    ]) {
      const answer = await setting.low.send('GET', '/api/v1/pods', { headers: { authorization } });
      assert.equal(answer.status, 401, authorization);
      messages.add(answer.body.toString());
    }
    assert.equal(messages.size, 1);
  });

  it('splits no header and no line of the log by what clients send', async () => {
    const names = ['a%0d%0aSet-Cookie:%20x', 'a%0aInjected: 1', '%00', '\u2028'];
    for (const name of names) {
      const connection = await RawConnection.open(setting.low.url);
      connection.write(
        head(
          'GET',
          `/api/v1/namespaces/mine/configmaps/${encodeURI(decodeURIComponent(name))}?fieldManager=${encodeURIComponent(decodeURIComponent(name))}`,
          setting.server.client.token,
        ),
      );
      const { headers } = await connection.answer();
      connection.destroy();
      assert.equal(
        JSON.stringify(headers).toLowerCase().includes('set-cookie') ||
          JSON.stringify(headers).toLowerCase().includes('injected'),
        false,
        name,
      );
    }
    const warned = await setting.server.client.post('/api/v1/namespaces/mine/configmaps?fieldValidation=Warn', {
      metadata: { name: 'odd' },
      'x\r\nSet-Cookie: y': 1,
    });
    assert.equal(warned.status, 201);
    assert.equal(warned.headers['set-cookie'], undefined);
    for (const line of setting.log().trimEnd().split('\n'))
      assert.doesNotThrow(() => JSON.parse(line), line.slice(0, 200));
  });
});
