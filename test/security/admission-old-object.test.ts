/**
 * Admission sees the very object that a write replaces (class of CVE-2021-25735), however many writers and replicas
 * there are.
 */
import assert from 'node:assert/strict';
import type { AdmissionPlugin, AdmissionRequest } from '../../pkg/admission/admission.ts';
import { node } from '../../pkg/api/core/node/node.ts';
import { deepCopy } from '../../pkg/apimachinery/json/deep.ts';
import type { ApiObject } from '../../pkg/apimachinery/meta/object.ts';
import { StatusError } from '../../pkg/apimachinery/errors/status-error.ts';
import { answerJson } from '../../pkg/net/https-service-testing.ts';
import type { Node } from '../../pkg/generated/types/core-v1.ts';
import { createObject } from '../../pkg/registry/create-object.ts';
import { deleteObject } from '../../pkg/registry/delete-object.ts';
import { checkDeleteOptions } from '../../pkg/registry/delete-options.ts';
import { getObject } from '../../pkg/registry/read-objects.ts';
import {
  hubObject,
  openRegistry,
  write,
  type Replica,
  type TestRegistry,
} from '../../pkg/registry/registry-testing.ts';
import { updateObject } from '../../pkg/registry/update-object.ts';
import type { Answer } from '../fixtures/api-client.ts';
import type { CachedObject } from '../../pkg/storage/cacher/cached-object.ts';
import { EtcdServer } from '../fixtures/etcd-server.ts';
import { startTestServer, type TestServer } from '../fixtures/test-server.ts';
import { startWebhookServer, type WebhookServer } from '../fixtures/webhook-server.ts';
import { expectRefusal } from './expect-refusal.ts';

const WRITERS = 4;
const WRITES = 15;

/** A plugin that keeps what it is shown and takes its time, so that others write meanwhile. */
class Recorder implements AdmissionPlugin {
  readonly name = 'Recorder';
  readonly validated: { old: ApiObject; object: ApiObject | undefined }[] = [];
  private admitted = '';

  async admit({ oldObject }: AdmissionRequest): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, 1));
    this.admitted = JSON.stringify(oldObject);
  }

  validate({ oldObject, object }: AdmissionRequest): void {
    assert.equal(JSON.stringify(oldObject), this.admitted, 'both rounds see the same old object');
    this.validated.push({ old: deepCopy(oldObject!), object: deepCopy(object) });
  }
}

function guarded(object: ApiObject): ApiObject {
  object.metadata.annotations = { guarded: 'yes' };
  return object;
}

describe('the old object that admission sees', () => {
  let registry: TestRegistry;
  let replicas: readonly Replica[];
  let count = 0;

  before(async () => {
    registry = openRegistry([node]);
    replicas = [await registry.replica(), await registry.replica()];
  });
  after(() => registry.stop());

  async function fresh(): Promise<string> {
    const name = `node-${++count}`;
    await createObject(
      replicas[0]!('nodes'),
      hubObject(node, { name }, { spec: {}, status: {} }),
      write('v1', '', { namespace: '' }),
    );
    return name;
  }

  const mark = (current: Node, key: string): void =>
    void (current.metadata.annotations = { ...current.metadata.annotations, [key]: 'x' });
  const report = (current: Node, key: string): void =>
    void (current.status = {
      ...current.status,
      conditions: [
        ...(current.status.conditions ?? []),
        { type: key, status: 'True', lastHeartbeatTime: null, lastTransitionTime: null },
      ],
    });
  const asConflict = (error: unknown): void =>
    assert.ok(error instanceof StatusError && error.code === 409, String(error));

  /**
   * Writers on both replicas; each state that was written and admitted must have replaced the one that admission was
   * shown.
   */
  async function race(
    name: string,
    subresource: string,
    edit: (current: Node, key: string) => void,
    isPatch: boolean,
  ): Promise<void> {
    const states = new Map<string, ApiObject>();
    const seen: { written: string; old: ApiObject }[] = [];
    const first = await registry.store.get(`minions/${name}`);
    const initial = replicas[0]!('nodes').codec.decode(first!.value, first!.modRevision);
    states.set(initial.metadata.resourceVersion!, initial);
    await Promise.all(
      Array.from({ length: WRITERS }, async (_, writer) => {
        const store = replicas[writer % 2]!('nodes');
        for (let i = 0; i < WRITES; i++) {
          const recorder = new Recorder();
          const change = (current: CachedObject | undefined): ApiObject => {
            const object = current!.privateObject();
            edit(object as Node, `w${writer}-${i}`);
            // A patch takes whatever is newest; an update names the version that it was made from.
            if (isPatch) delete object.metadata.resourceVersion;
            return object;
          };
          try {
            const { object } = await updateObject(store, {
              ...write('v1', name, { namespace: '', subresource, plugins: [recorder] }),
              transform: change,
            });
            const written = object.object();
            states.set(written.metadata.resourceVersion!, written);
            seen.push({ written: written.metadata.resourceVersion!, old: recorder.validated.at(-1)!.old });
          } catch (error) {
            asConflict(error);
          }
        }
      }),
    );
    assert.ok(seen.length >= WRITES, `${seen.length} writes`);
    const revisions = [...states.keys()].map(Number).toSorted((a, b) => a - b);
    for (const { written, old } of seen) {
      const before = revisions[revisions.indexOf(Number(written)) - 1];
      assert.equal(old.metadata.resourceVersion, String(before), `${written} was written over ${before}`);
      assert.deepEqual(old, states.get(String(before)));
    }
  }

  it('is the one replaced: updates and patches of nodes, and of their status', async () => {
    for (const [subresource, edit] of [
      ['', mark],
      ['status', report],
    ] as const) {
      for (const isPatch of [false, true]) await race(await fresh(), subresource, edit, isPatch);
    }
  });

  it('is not what the client or another plugin made of it', async () => {
    const name = await fresh();
    const spoil: AdmissionPlugin = {
      name: 'Spoil',
      admit: ({ object }) => void Object.assign(((object as Node).metadata.labels ??= {}), { spoiled: 'yes' }),
    };
    const recorder = new Recorder();
    const transform = (current: CachedObject | undefined): ApiObject => {
      const changed = current!.privateObject();
      Object.assign(changed.metadata, { labels: { own: 'claim' }, annotations: { a: 'b' } });
      return changed;
    };
    await updateObject(replicas[0]!('nodes'), {
      ...write('v1', name, { namespace: '', plugins: [spoil, recorder] }),
      transform,
    });
    const { old, object } = recorder.validated[0]!;
    assert.deepEqual([old.metadata.labels, old.metadata.annotations], [undefined, undefined]);
    assert.deepEqual(object?.metadata.labels, { own: 'claim', spoiled: 'yes' });
  });

  it("is private: a plugin's change of it ends with the request", async () => {
    const name = await fresh();
    const spoil: AdmissionPlugin = {
      name: 'Spoil',
      admit({ oldObject }) {
        Object.assign(oldObject!.metadata, { labels: { spoiled: 'yes' } });
        throw new Error('refused');
      },
    };
    await assert.rejects(
      updateObject(replicas[0]!('nodes'), {
        ...write('v1', name, { namespace: '', plugins: [spoil] }),
        transform: (current) => current!.privateObject(),
      }),
      { message: 'refused' },
    );
    assert.equal(
      (await getObject(replicas[0]!('nodes'), '', name, { kind: 'any' })).object().metadata.labels,
      undefined,
    );
  });

  it('is the one deleted, also when another writer came first', async () => {
    const name = await fresh();
    const [here, there] = [replicas[0]!('nodes'), replicas[1]!('nodes')];
    const seen: string[] = [];
    const guard: AdmissionPlugin = {
      name: 'Guard',
      async validate({ oldObject }) {
        seen.push(oldObject!.metadata.annotations?.['guarded'] ?? 'no');
        if (seen.length > 1) return;
        await updateObject(there, {
          ...write('v1', name, { namespace: '' }),
          transform: (current) => guarded(current!.privateObject()),
        });
      },
    };
    await deleteObject(here, {
      ...write('v1', name, { namespace: '', plugins: [guard] }),
      options: checkDeleteOptions({}),
    });
    assert.deepEqual(seen, ['no', 'yes']);
  });
});

describe('a node that writes while an administrator does', function () {
  this.timeout(60_000);
  let etcd: EtcdServer;
  let servers: readonly TestServer[];

  before(async () => {
    etcd = await EtcdServer.start();
    const args = ['--authorization-mode=Node,RBAC', '--enable-admission-plugins=NodeRestriction'];
    servers = [await startTestServer({ etcd: etcd.url, args }), await startTestServer({ etcd: etcd.url, args })];
  });
  after(async () => {
    for (const server of servers) await server.stop();
    await etcd.stop();
    for (const server of servers) assert.deepEqual(server.errors, []);
  });

  const asNode = { 'impersonate-user': 'system:node:n', 'impersonate-group': 'system:nodes' };
  const nodePatch = (path: string, body: object, type = 'merge'): Promise<Answer> =>
    servers[1]!.client.send('PATCH', path, { headers: asNode, body, contentType: `application/${type}-patch+json` });

  it('takes away no taint that it did not see', async () => {
    const { client } = servers[0]!;
    const path = '/api/v1/nodes/n';
    assert.equal((await client.post('/api/v1/nodes', { metadata: { name: 'n' } })).status, 201);
    const outcomes = new Set<number>();
    for (let i = 0; i < 40; i++) {
      assert.equal((await client.patch(path, 'merge', { spec: { taints: null } })).status, 200);
      const taint = { key: `t${i}`, effect: 'NoSchedule' };
      const [tainted, ...own] = await Promise.all([
        client.patch(path, 'merge', { spec: { taints: [taint] } }),
        nodePatch(path, { metadata: { annotations: { i: String(i) } }, spec: { taints: null } }),
        nodePatch(`${path}/status`, { spec: { taints: null }, status: { phase: 'Running' } }, 'strategic-merge'),
      ]);
      assert.equal(tainted.status, 200);
      for (const { status } of own) outcomes.add(status);
      assert.deepEqual(
        (await client.get(path)).json.spec.taints.map(({ key }: { key: string }) => key),
        [taint.key],
      );
    }
    for (const status of outcomes) assert.ok([200, 403, 409].includes(status), String(status));
    expectRefusal(await nodePatch(path, { spec: { taints: null } }), {
      code: 403,
      reason: 'Forbidden',
      message: /is not allowed to modify taints/,
    });
  });
});

describe('a validating webhook that guards what an object was', () => {
  let etcd: EtcdServer;
  let servers: readonly TestServer[];
  let hook: WebhookServer;
  const path = '/api/v1/nodes/n';
  const GUARD = 'example.com/guard';

  before(async () => {
    [etcd, hook] = await Promise.all([EtcdServer.start(), startWebhookServer()]);
    servers = [await startTestServer({ etcd: etcd.url }), await startTestServer({ etcd: etcd.url })];
    const made = await servers[0]!.client.post(
      '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
      {
        metadata: { name: 'guard' },
        webhooks: [
          {
            name: 'guard.example.com',
            clientConfig: hook.clientConfig(),
            sideEffects: 'None',
            admissionReviewVersions: ['v1'],
            failurePolicy: 'Fail',
            rules: [
              {
                operations: ['UPDATE', 'DELETE'],
                apiGroups: [''],
                apiVersions: ['v1'],
                resources: ['nodes', 'nodes/status'],
              },
            ],
          },
        ],
      },
    );
    assert.equal(made.status, 201);
  });
  beforeEach(async () => {
    hook.respond(() => undefined);
    await servers[0]!.client.delete(path);
    assert.equal((await servers[0]!.client.post('/api/v1/nodes', { metadata: { name: 'n' } })).status, 201);
    hook.reviews.length = 0;
  });
  after(async () => {
    for (const server of servers) await server.stop();
    await Promise.all([etcd.stop(), hook.close()]);
    for (const server of servers) assert.deepEqual(server.errors, []);
  });

  /** Refuses to let the guard go, or the object with it. */
  const guards = ({ object, oldObject }: { object: Node | null; oldObject: Node }): object | undefined => {
    const [before, after] = [oldObject, object].map((one) => one?.metadata.annotations?.[GUARD]);
    return before !== undefined && after !== before
      ? { allowed: false, status: { code: 403, message: 'guarded' } }
      : undefined;
  };

  const attacks: readonly [what: string, attack: (server: TestServer, current: Node) => Promise<Answer>][] = [
    [
      'a patch',
      ({ client }) => client.patch(path, 'merge', { metadata: { annotations: { [GUARD]: null, mine: 'x' } } }),
    ],
    [
      'a patch of a list',
      ({ client }) => client.patch(path, 'json', [{ op: 'add', path: '/metadata/annotations', value: { mine: 'x' } }]),
    ],
    [
      'a patch of its status',
      ({ client }) =>
        client.patch(`${path}/status`, 'merge', { metadata: { annotations: { [GUARD]: null, mine: 'x' } } }),
    ],
    [
      'a replacement without a version',
      ({ client }, { metadata, ...rest }) =>
        client.put(path, {
          ...rest,
          metadata: { ...metadata, resourceVersion: undefined, annotations: { mine: 'x' } },
        }),
    ],
    [
      'a replacement of its status',
      ({ client }, { metadata, ...rest }) =>
        client.put(`${path}/status`, {
          ...rest,
          metadata: { ...metadata, resourceVersion: undefined, annotations: { mine: 'x' } },
        }),
    ],
    ['a deletion', ({ client }) => client.delete(path)],
  ];
  for (const [what, attack] of attacks) {
    for (const at of [0, 1]) {
      it(`sees what ${what} replaces, also when it was guarded while the webhook thought (${at === 0 ? 'one server' : 'two servers'})`, async () => {
        const current = (await servers[0]!.client.get(path)).json as Node;
        let guarded: Promise<Answer> | undefined;
        hook.misbehave((response, request) => {
          const answer = (): void => {
            hook.respond(guards);
            answerJson(response, {
              kind: 'AdmissionReview',
              apiVersion: 'admission.k8s.io/v1',
              response: { uid: request.uid, allowed: true, ...guards(request) },
            });
          };
          if (guarded !== undefined) return answer();
          // The administrator's own write is asked about as well, and answered first.
          guarded = servers[at]!.client.patch(path, 'merge', { metadata: { annotations: { [GUARD]: 'on' } } });
          void guarded.then(answer);
        });
        const { status, json } = await attack(servers[0]!, current);
        assert.equal((await guarded!).status, 200);
        assert.deepEqual(
          [status, json.message],
          [403, 'admission webhook "guard.example.com" denied the request: guarded'],
        );
        const after = (await servers[0]!.client.get(path)).json;
        assert.equal(after.metadata.annotations[GUARD], 'on');
        assert.deepEqual(hook.reviews.at(-1).oldObject.metadata.annotations, after.metadata.annotations);
      });
    }
  }

  it('sees nothing in it that the client says of the past', async () => {
    await servers[0]!.client.patch(path, 'merge', { metadata: { annotations: { [GUARD]: 'on' } } });
    hook.respond(guards);
    const { metadata, ...rest } = (await servers[0]!.client.get(path)).json as Node;
    const forged = {
      ...rest,
      metadata: { ...metadata, annotations: { other: 'x' }, creationTimestamp: '2001-01-01T00:00:00Z' },
      oldObject: { metadata: {} },
      status: { ...rest.status, phase: 'Running' },
    };
    for (const target of [path, `${path}/status`])
      assert.equal((await servers[0]!.client.put(target, forged)).status, 403, target);
    assert.equal(hook.reviews.at(-1).oldObject.metadata.annotations[GUARD], 'on');
  });
});
