import assert from 'node:assert/strict';
import { startTestServer, type TestAnswer, type TestServer } from '../server-testing.ts';

describe('patch', () => {
  let api: TestServer;
  before(async () => {
    api = await startTestServer();
    await api.send('POST', maps, { metadata: { name: 'a' }, data: { a: '1' } });
  });
  after(() => api.stop());

  const maps = '/api/v1/namespaces/default/configmaps';
  const patch = (type: string, body: unknown, path = `${maps}/a`): Promise<TestAnswer> =>
    api.send('PATCH', path, body, { 'content-type': `application/${type}-patch+json` });

  const refused: readonly (readonly [what: string, type: string, body: unknown, cause: RegExp])[] = [
    [
      'a merge patch',
      'merge',
      { data: { a: 5 } },
      /^Invalid value: "\{.*\}": json: cannot unmarshal number into Go struct field ConfigMap\.data of type string$/,
    ],
    [
      'a JSON patch',
      'json',
      [{ op: 'replace', path: '/data', value: [] }],
      /^Invalid value: "\{.*\}": json: cannot unmarshal array into Go struct field ConfigMap\.data of type map\[string\]string$/,
    ],
    [
      'a strategic merge patch',
      'strategic-merge',
      { data: { a: 5 } },
      /^Invalid value: "map\[data:map\[a:5\]\]": cannot convert int64 to string$/,
    ],
    [
      'a strategic merge patch with a list for a map',
      'strategic-merge',
      { data: [] },
      /: cannot restore map from slice$/,
    ],
    [
      'another kind',
      'merge',
      { kind: 'Secret' },
      /: converting \(v1\.Secret\) to \(core\.ConfigMap\): unknown conversion$/,
    ],
    [
      'an unknown kind',
      'merge',
      { kind: 'Wrong' },
      /: no kind "Wrong" is registered for version "v1" in scheme "k8s\.io\/kubernetes\/pkg\/api\/legacyscheme\/scheme\.go:30"$/,
    ],
  ];
  for (const [what, type, body, cause] of refused) {
    it(`refuses ${what} whose result is no object of the kind`, async () => {
      const { status, body: answer } = await patch(type, body);
      assert.deepEqual(
        [
          status,
          answer.reason,
          answer.details.causes.length,
          answer.details.causes[0].field,
          answer.details.causes[0].reason,
        ],
        [422, 'Invalid', 1, 'patch', 'FieldValueInvalid'],
      );
      assert.match(answer.details.causes[0].message, cause);
      assert.ok(answer.message.startsWith(' "" is invalid: patch: Invalid value: '), answer.message);
    });
  }

  it('refuses unknown fields where the client wants to be strict', async () => {
    const { status, body } = await patch('merge', { bogus: 1 }, `${maps}/a?fieldValidation=Strict`);
    assert.equal(status, 422);
    assert.match(body.details.causes[0].message, /: strict decoding error: unknown field "bogus"$/);
  });

  it('finds first, reads the patch then', async () => {
    assert.equal((await patch('merge', [], `${maps}/none`)).status, 404);
    assert.deepEqual(
      [(await patch('merge', [])).status, (await patch('merge', null)).body.message],
      [400, 'Invalid JSON Patch'],
    );
    assert.equal(
      (await patch('strategic-merge', [])).body.message,
      'json: cannot unmarshal array into Go value of type map[string]interface {}',
    );
    assert.equal((await patch('strategic-merge', null)).status, 200, 'nothing to change');
  });

  it('refuses the same of a scale', async () => {
    const path = '/api/v1/namespaces/default/replicationcontrollers/r';
    await api.send('POST', '/api/v1/namespaces/default/replicationcontrollers', {
      metadata: { name: 'r' },
      spec: {
        selector: { a: 'b' },
        template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
      },
    });
    const { status, body } = await patch('merge', { spec: { replicas: 'many' } }, `${path}/scale`);
    assert.deepEqual([status, body.details.causes[0].field], [422, 'patch']);
  });
});
