import assert from 'node:assert/strict';
import { events, nodes, pods, secrets } from '../api/core/tokens.ts';
import { ingresses } from '../api/networking/tokens.ts';
import type { Node, Pod, Secret } from '../generated/types/core-v1.ts';
import { handles, isFor, isWriteOf, requestsOn, requestsOnPath, writesContainers } from './handles.ts';
import type { Operation } from './admission.ts';
import { lookupOf, requestFor } from './plugin-testing.ts';

const pod = { metadata: { name: 'p', namespace: 'n' }, spec: { nodeName: 'here' } };

describe('subjects of admission plugins', () => {
  it('are requests on one resource of one group, by operation', () => {
    const subject = requestsOn(ingresses, 'CREATE', 'UPDATE');
    const rows: [resource: string, operation: Operation, subresource: string, is: boolean][] = [
      ['ingresses.networking.k8s.io', 'CREATE', '', true],
      ['ingresses.networking.k8s.io', 'UPDATE', '', true],
      ['ingresses.networking.k8s.io', 'DELETE', '', false],
      ['ingresses.networking.k8s.io', 'UPDATE', 'status', false],
      ['ingresses.extensions', 'CREATE', '', false],
      ['ingresses', 'CREATE', '', false],
    ];
    for (const [resource, operation, subresource, is] of rows)
      assert.equal(subject(requestFor(resource, {}, { operation, subresource })), is, `${resource} ${operation}`);
  });

  it('are requests on a path below the objects', () => {
    const subject = requestsOnPath(nodes, 'status', 'UPDATE');
    assert.equal(subject(requestFor('nodes', {}, { operation: 'UPDATE', subresource: 'status' })), true);
    assert.equal(subject(requestFor('nodes', {}, { operation: 'UPDATE' })), false);
    assert.equal(isWriteOf(requestFor('nodes', {}, { operation: 'UPDATE', subresource: 'status' }), nodes), true);
    assert.equal(isWriteOf(requestFor('nodes', {}, { operation: 'CONNECT', subresource: 'proxy' }), nodes), false);
    assert.equal(isFor(requestFor('nodes', {}, { operation: 'CONNECT', subresource: 'proxy' }), nodes), true);
    assert.equal(isFor(requestFor('events', {}), events), true);
  });

  it('include each way of adding a container', () => {
    const writes = ['', 'ephemeralcontainers', 'status', 'resize', 'binding'].filter((subresource) =>
      writesContainers(requestFor('pods', pod, { operation: 'UPDATE', subresource })),
    );
    assert.deepEqual(writes, ['', 'ephemeralcontainers']);
    assert.equal(writesContainers(requestFor('pods', undefined, { operation: 'DELETE' })), false);
  });

  it('give the round the objects that the operation has, of their type', () => {
    const round = handles(requestsOn(pods, 'CREATE', 'UPDATE', 'DELETE'), (request) => {
      if (request.operation === 'DELETE') {
        const gone: undefined = request.object;
        const last: Pod = request.oldObject;
        return [gone, last.spec.nodeName];
      }
      const now: Pod = request.object;
      // @ts-expect-error: a create has no old object.
      const before: Pod = request.oldObject;
      // @ts-expect-error: it is no Node.
      const node: Node = request.object;
      assert.ok(node);
      return [now.spec.nodeName, before];
    });
    const old = { ...pod, spec: { nodeName: 'there' } } as unknown as Pod;
    assert.deepEqual(round(requestFor('pods', pod)), ['here', undefined]);
    assert.deepEqual(round(requestFor('pods', undefined, { operation: 'DELETE', oldObject: old })), [
      undefined,
      'there',
    ]);
    assert.equal(round(requestFor('nodes', pod)), undefined);
  });

  it('look up objects of the type of the token', async () => {
    const lookup = lookupOf({ secrets: [{ metadata: { name: 's', namespace: 'n' }, type: 'Opaque' }] });
    const found: Secret | undefined = await lookup.get(secrets, 'n', 's');
    assert.equal(found?.type, 'Opaque');
    // @ts-expect-error: names are for programs that learn them at run time.
    await assert.doesNotReject(lookup.list('secrets', ''));
    // @ts-expect-error: it is no Pod.
    const pod: Pod | undefined = await lookup.get(secrets, 'n', 't');
    assert.equal(pod, undefined);
  });
});
