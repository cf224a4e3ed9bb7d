import assert from 'node:assert/strict';
import { lookupOf } from '../plugin-testing.ts';
import { serviceAddress } from './service-address.ts';

describe('serviceAddress', () => {
  const meta = { name: 'hook', namespace: 'a' };
  const service = (spec: object): object => ({
    metadata: meta,
    spec: {
      ports: [
        { name: 'https', port: 443 },
        { name: 'other', port: 8080 },
      ],
      ...spec,
    },
  });
  const endpoints = {
    metadata: meta,
    subsets: [{ addresses: [{ ip: '10.1.0.7' }], ports: [{ name: 'https', port: 9443 }] }],
  };
  const find = (spec: object, toEndpoints: boolean, port = 443) =>
    serviceAddress(
      { namespace: 'a', name: 'hook', port },
      toEndpoints,
      lookupOf({ services: [service(spec)], endpoints: [endpoints] }),
    );

  it('returns the cluster IP, or an endpoint of the port', async () => {
    assert.deepEqual(await find({ clusterIP: '10.0.0.9' }, false), { host: '10.0.0.9', port: 443 });
    assert.deepEqual(await find({ clusterIP: '10.0.0.9' }, true), { host: '10.1.0.7', port: 9443 });
    assert.deepEqual(await find({ type: 'ExternalName', externalName: 'hook.example.com' }, false), {
      host: 'hook.example.com',
      port: 443,
    });
  });

  it('reports why there is none', async () => {
    await assert.rejects(serviceAddress({ namespace: 'a', name: 'none', port: 1 }, false, lookupOf({})), {
      message: 'service "none" not found',
    });
    await assert.rejects(find({ clusterIP: '10.0.0.9' }, false, 1), {
      message: 'no service port 1 found for service "hook"',
    });
    await assert.rejects(find({ clusterIP: 'None' }, false), {
      message: 'cannot route to service with ClusterIP "None"',
    });
    await assert.rejects(find({ clusterIP: '10.0.0.9' }, true, 8080), {
      message: 'no endpoints available for service "hook"',
    });
  });
});
