import assert from 'node:assert/strict';
import { startTestServer, type TestServer } from '../fixtures/test-server.ts';
import { whileServing } from './bystander.ts';
import { expectRefusal } from './expect-refusal.ts';

const maps = '/api/v1/namespaces/default/configmaps';
const revisions = '/apis/apps/v1/namespaces/default/controllerrevisions';

/** Keys with a meaning in JavaScript, and nowhere else. */
const hostile = {
  constructor: 'c',
  prototype: 'p',
  toString: 't',
  valueOf: 'v',
  hasOwnProperty: 'h',
  __defineGetter__: 'g',
};
const withProto = (object: object): string => `{"__proto__":"polluted",${JSON.stringify(object).slice(1)}`;
const everything = withProto(hostile);

function assertClean(): void {
  assert.deepEqual(Object.keys(Object.prototype), []);
  assert.equal(({} as Record<string, unknown>)['polluted'], undefined);
  assert.equal(typeof {}.toString, 'function');
}

describe('keys such as __proto__', () => {
  let server: TestServer;

  before(async () => {
    server = await startTestServer();
  });
  after(() => server.stop());
  afterEach(assertClean);

  const keys = (text: string): [string, unknown][] => Object.entries(JSON.parse(text) as object).sort();

  it('are kept as data of objects', () =>
    whileServing(server, async () => {
      // Names of keys in data are checked: these are names like any other.
      const created = await server.client.send('POST', maps, {
        body: `{"metadata":{"name":"proto","annotations":${everything}},"data":${everything}}`,
      });
      assert.equal(created.status, 422, 'annotation keys begin and end with a letter or digit');
      const annotations = JSON.stringify({ constructor: 'c', prototype: 'p', toString: 't', valueOf: 'v' });
      const labels = annotations;
      const answer = await server.client.send('POST', maps, {
        body: `{"metadata":{"name":"proto","labels":${labels},"annotations":${annotations}},"data":${everything}}`,
      });
      assert.equal(answer.status, 201, answer.body.toString());
      for (const accept of ['application/json', 'application/yaml']) {
        const read = await server.client.get(`${maps}/proto`, { accept });
        if (accept === 'application/json') {
          assert.deepEqual(Object.entries(read.json.data).sort(), keys(everything));
          assert.deepEqual(Object.entries(read.json.metadata.labels).sort(), keys(labels));
          assert.deepEqual(Object.entries(read.json.metadata.annotations).sort(), keys(annotations));
        } else {
          assert.match(read.body.toString(), /__proto__: polluted/);
        }
      }
      const list = await server.client.get(`${maps}?labelSelector=constructor%3Dc,toString,!hasOwnProperty`);
      assert.deepEqual(
        list.json.items.map((i: { metadata: { name: string } }) => i.metadata.name),
        ['proto'],
      );
      expectRefusal(await server.client.get(`${maps}?fieldSelector=constructor%3Dx`), {
        code: 400,
        reason: 'BadRequest',
        message: /is not a known field selector/,
      });
      expectRefusal(await server.client.get('/api/v1/namespaces/default/pods?fieldSelector=__proto__%3Dx'), {
        code: 400,
        reason: 'BadRequest',
        message: 'field label not supported: __proto__',
      });
    }));

  it('survive YAML and protobuf', () =>
    whileServing(server, async () => {
      const yaml = await server.client.send('POST', maps, {
        body: 'metadata: {name: proto-yaml}\ndata:\n  __proto__: polluted\n  constructor: c\n',
        contentType: 'application/yaml',
      });
      assert.equal(yaml.status, 201, yaml.body.toString());
      assert.deepEqual(Object.entries(yaml.json.data).sort(), [
        ['__proto__', 'polluted'],
        ['constructor', 'c'],
      ]);
      const wire = await server.client.get(`${maps}/proto-yaml`, { accept: 'application/vnd.kubernetes.protobuf' });
      const replaced = await server.client.send('PUT', `${maps}/proto-yaml`, {
        body: wire.body,
        contentType: 'application/vnd.kubernetes.protobuf',
      });
      assert.equal(replaced.status, 200, replaced.body.toString());
      assert.deepEqual(Object.entries(replaced.json.data).sort(), [
        ['__proto__', 'polluted'],
        ['constructor', 'c'],
      ]);
      const merge = await server.client.send('POST', maps, {
        body: 'metadata: {name: proto-merge}\ndata:\n  <<: {__proto__: polluted}\n  a: b\n',
        contentType: 'application/yaml',
      });
      assert.deepEqual(Object.entries(merge.json.data).sort(), [
        ['__proto__', 'polluted'],
        ['a', 'b'],
      ]);
    }));

  it('are kept by patches of every type', () =>
    whileServing(server, async () => {
      for (const [type, body] of [
        ['merge', `{"data":${everything}}`],
        ['strategic', `{"data":${everything}}`],
        [
          'json',
          JSON.stringify([
            ...keys(everything).map(([key, value]) => ({ op: 'add', path: `/data/${key}`, value })),
            { op: 'copy', from: '/data/__proto__', path: '/data/copy' },
            { op: 'move', from: '/data/copy', path: '/data/moved' },
            { op: 'remove', path: '/data/moved' },
            { op: 'test', path: '/data/__proto__', value: 'polluted' },
          ]),
        ],
      ] as const) {
        const name = `proto-${type}-patch`;
        await server.client.post(maps, { metadata: { name }, data: { a: 'b' } });
        const patched = await server.client.patch(`${maps}/${name}`, type, body);
        assert.equal(patched.status, 200, patched.body.toString());
        assert.deepEqual(Object.entries(patched.json.data).sort(), [...keys(everything), ['a', 'b']].sort());
        const removed = await server.client.patch(
          `${maps}/${name}`,
          type,
          type === 'json'
            ? '[{"op":"remove","path":"/data/__proto__"},{"op":"remove","path":"/data/constructor"}]'
            : '{"data":{"__proto__":null,"constructor":null}}',
        );
        assert.ok(!Object.hasOwn(removed.json.data, '__proto__') && !Object.hasOwn(removed.json.data, 'constructor'));
        assert.equal(Object.keys(removed.json.data).length, 6);
      }
    }));

  it('reach nothing through patches', () =>
    whileServing(server, async () => {
      await server.client.post(maps, { metadata: { name: 'reach' }, data: { a: 'b' } });
      const path = `${maps}/reach`;
      const rejected = {
        code: 422,
        reason: 'Invalid',
        message: 'the server rejected our request due to an error in our request',
      };
      for (const pointer of [
        '/__proto__/polluted',
        '/constructor/prototype/polluted',
        '/data/__proto__/polluted',
        '/data/constructor/prototype/polluted',
        '/metadata/__proto__/toString',
      ]) {
        expectRefusal(await server.client.patch(path, 'json', [{ op: 'add', path: pointer, value: 'yes' }]), rejected);
      }
      for (const pointer of ['/data/constructor', '/data/toString', '/__proto__'])
        expectRefusal(await server.client.patch(path, 'json', [{ op: 'remove', path: pointer }]), rejected);
      for (const type of ['merge', 'strategic'] as const) {
        for (const body of [
          '{"__proto__":{"polluted":1}}',
          '{"constructor":{"prototype":{"polluted":1}}}',
          '{"metadata":{"__proto__":{"polluted":1}}}',
        ]) {
          assert.equal((await server.client.patch(path, type, body)).status, 200);
          expectRefusal(
            await server.client.send('PATCH', `${path}?fieldValidation=Strict`, {
              body,
              contentType: `application/${type === 'merge' ? 'merge' : 'strategic-merge'}-patch+json`,
            }),
            { code: 422, reason: 'Invalid', message: /unknown field/ },
          );
        }
      }
      assert.deepEqual((await server.client.get(path)).json.data, { a: 'b' });
    }));

  it('are kept in raw parts', () =>
    whileServing(server, async () => {
      const data = `{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}`;
      const created = await server.client.send('POST', revisions, {
        body: `{"metadata":{"name":"proto"},"revision":1,"data":${data}}`,
      });
      assert.equal(created.status, 201, created.body.toString());
      for (const type of ['merge', 'strategic'] as const)
        await server.client.patch(`${revisions}/proto`, type, { metadata: { annotations: { touched: type } } });
      const read = await server.client.get(`${revisions}/proto`);
      assert.equal(JSON.stringify(read.json.data), data);
    }));

  it('name nothing in paths and queries', () =>
    whileServing(server, async () => {
      for (const path of [
        '/api/v1/__proto__',
        '/api/v1/constructor',
        '/api/v1/namespaces/default/toString',
        '/api/v1/namespaces/default/configmaps/reach/__proto__',
        '/apis/apps/constructor/deployments',
      ]) {
        expectRefusal(await server.client.get(path), {
          code: 404,
          reason: 'NotFound',
          message: 'the server could not find the requested resource',
        });
      }
      assert.equal((await server.client.get('/apis/__proto__/v1/things')).status, 404);
      for (const name of ['__proto__', 'constructor'])
        expectRefusal(await server.client.get(`${maps}/${name}`), {
          code: 404,
          reason: 'NotFound',
          message: `configmaps "${name}" not found`,
        });
      assert.equal((await server.client.get(`${maps}?__proto__=1&constructor[prototype][polluted]=1`)).status, 200);
      assert.equal((await server.client.get('/version', { __proto__2: 'x' })).status, 200);
    }));
});
