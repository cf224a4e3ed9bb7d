import assert from 'node:assert/strict';
import { cells, create, serve, update } from '../../kind-testing.ts';
import { ingress } from './ingress.ts';

const V1 = 'networking.k8s.io/v1';
const BETA = 'networking.k8s.io/v1beta1';
const service = { service: { name: 's', port: { number: 80 } } };

function withPath(path: object): object {
  return { metadata: { name: 'i' }, spec: { rules: [{ host: 'a.example.com', http: { paths: [path] } }] } };
}

function problems(spec: object): string[] {
  return create(ingress, V1, { metadata: { name: 'i' }, spec }).texts;
}

describe('ingress', () => {
  it('accepts an unchanged rule, and counts generations', () => {
    const { as, object } = create(ingress, V1, withPath({ path: '/', pathType: 'Prefix', backend: service }));
    assert.deepEqual(as(V1).spec, {
      rules: [{ host: 'a.example.com', http: { paths: [{ path: '/', pathType: 'Prefix', backend: service }] } }],
    });
    assert.equal(object.metadata.generation, 1);
    assert.equal(update(ingress, V1, object, (i) => (i.spec.ingressClassName = 'x')).object.metadata.generation, 2);
  });

  it('reads and writes backends of the older versions', () => {
    const body = {
      metadata: { name: 'i' },
      spec: {
        backend: { serviceName: 's', servicePort: 'http' },
        rules: [{ http: { paths: [{ backend: { serviceName: 't', servicePort: 80 } }] } }],
      },
    };
    for (const version of [BETA, 'extensions/v1beta1']) {
      const { object, as } = create(ingress, version, body);
      assert.deepEqual(object.spec, {
        defaultBackend: { service: { name: 's', port: { name: 'http' } } },
        rules: [
          {
            http: {
              paths: [
                { pathType: 'ImplementationSpecific', backend: { service: { name: 't', port: { number: 80 } } } },
              ],
            },
          },
        ],
      });
      assert.deepEqual(as(version).spec.backend, body.spec.backend);
      assert.deepEqual(as(version).spec.rules[0].http.paths[0], {
        pathType: 'ImplementationSpecific',
        backend: { serviceName: 't', servicePort: 80 },
      });
    }
  });

  it('keeps a resource backend through the older versions', () => {
    const resource = { apiGroup: 'x.example.com', kind: 'Bucket', name: 'b' };
    const { object } = create(ingress, V1, { metadata: { name: 'i' }, spec: { defaultBackend: { resource } } });
    const old = serve(ingress, BETA, object);
    assert.deepEqual(old.spec.backend, { servicePort: 0, resource });
    assert.deepEqual(create(ingress, BETA, old).object.spec, object.spec);
  });

  const cases: [string, object, string[]][] = [
    ['nothing', {}, ['spec: Invalid value: null: either `defaultBackend` or `rules` must be specified']],
    [
      'no path type',
      { rules: [{ http: { paths: [{ path: '/', backend: service }] } }] },
      ['spec.rules[0].http.paths[0].pathType: Required value: pathType must be specified'],
    ],
    ['no paths', { rules: [{ http: {} }] }, ['spec.rules[0].http.paths: Required value']],
    [
      'an address as host',
      { rules: [{ host: '1.2.3.4', http: { paths: [{ path: 'x', pathType: 'Exact', backend: service }] } }] },
      [
        'spec.rules[0].host: Invalid value: "1.2.3.4": must be a DNS name, not an IP address',
        'spec.rules[0].http.paths[0].path: Invalid value: "x": must be an absolute path',
      ],
    ],
    [
      'an unknown path type',
      { rules: [{ http: { paths: [{ path: '/', pathType: 'Regex', backend: service }] } }] },
      [
        'spec.rules[0].http.paths[0].pathType: Unsupported value: "Regex": supported values: "Exact", "ImplementationSpecific", "Prefix"',
      ],
    ],
    [
      'odd path sequences',
      { rules: [{ http: { paths: [{ path: '/a//b/..', pathType: 'Prefix', backend: service }] } }] },
      [
        'spec.rules[0].http.paths[0].path: Invalid value: "/a//b/..": must not contain \'//\'',
        'spec.rules[0].http.paths[0].path: Invalid value: "/a//b/..": cannot end with \'/..\'',
      ],
    ],
    [
      'two kinds of backend',
      { defaultBackend: { ...service, resource: { kind: 'K', name: 'n' } } },
      ['spec.defaultBackend: Invalid value: "": cannot set both resource and service backends'],
    ],
    [
      'no backend',
      { defaultBackend: {} },
      ['spec.defaultBackend: Invalid value: "": resource or service backend is required'],
    ],
    [
      'a service without port',
      { defaultBackend: { service: { name: 's' } } },
      ['spec.defaultBackend: Required value: port name or number is required'],
    ],
    [
      'two ports',
      { defaultBackend: { service: { name: 's', port: { name: 'a', number: 1 } } } },
      ['spec.defaultBackend: Invalid value: "": cannot set both port name & port number'],
    ],
    [
      'an incomplete resource',
      { defaultBackend: { resource: {} } },
      [
        'spec.defaultBackend.resource.kind: Required value: kind is required',
        'spec.defaultBackend.resource.name: Required value: name is required',
      ],
    ],
  ];
  for (const [name, spec, expected] of cases) {
    it(`refuses ${name}`, () => assert.deepEqual(problems(spec), expected));
  }

  it('checks wildcard hosts and secret names of TLS', () => {
    const texts = problems({
      defaultBackend: service,
      tls: [{ hosts: ['*.a.example.com', '*bad'], secretName: 'No' }],
    });
    assert.equal(texts.length, 2);
    assert.match(texts[0]!, /^spec\.tls\[0\]\.hosts\[1\]: Invalid value: "\*bad": a wildcard DNS-1123 subdomain/);
    assert.match(texts[1]!, /^spec\.tls\[0\]\.secretName: Invalid value: "No": a lowercase RFC 1123 subdomain/);
  });

  it('lets an update keep a bad secret name, but not bring one', () => {
    const { object } = create(ingress, V1, {
      metadata: { name: 'i' },
      spec: { defaultBackend: service, tls: [{ secretName: 'fine' }] },
    });
    assert.equal(update(ingress, V1, object, (i) => (i.spec.tls[0].secretName = 'No')).texts.length > 0, true);
    object.spec.tls[0].secretName = 'No';
    assert.deepEqual(
      update(ingress, V1, object, (i) => (i.spec.tls[0].secretName = 'No2')).texts.filter((t) => t.startsWith('spec')),
      [],
    );
  });

  it('warns of the class annotation, and refuses one beside the field', () => {
    const metadata = { name: 'i', annotations: { 'kubernetes.io/ingress.class': 'a' } };
    const { object } = create(ingress, V1, { metadata, spec: { defaultBackend: service } });
    assert.deepEqual(ingress.warnings?.(object, undefined), [
      'annotation "kubernetes.io/ingress.class" is deprecated, please use \'spec.ingressClassName\' instead',
    ]);
    assert.deepEqual(
      create(ingress, V1, { metadata, spec: { defaultBackend: service, ingressClassName: 'b' } }).texts,
      ['annotations.kubernetes.io/ingress.class: Invalid value: "a": can not be set when the class field is also set'],
    );
  });

  it('checks addresses in the status', () => {
    const { object } = create(ingress, V1, { metadata: { name: 'i' }, spec: { defaultBackend: service } });
    object.metadata.resourceVersion = '1';
    const { texts } = update(
      ingress,
      V1,
      object,
      (i) => {
        i.status.loadBalancer = { ingress: [{ ip: 'x' }, { hostname: '192.0.2.1' }] };
      },
      { subresource: 'status' },
    );
    assert.deepEqual(texts, [
      'status.loadBalancer.ingress[0].ip: Invalid value: "x": must be a valid IP address',
      'status.loadBalancer.ingress[1].hostname: Invalid value: "192.0.2.1": must be a DNS name, not an IP address',
    ]);
  });

  it('prints class, hosts, addresses and ports', () => {
    const { object } = create(ingress, V1, withPath({ path: '/', pathType: 'Prefix', backend: service }));
    assert.deepEqual(cells(ingress, object), ['i', '<none>', 'a.example.com', '', '80', '0s']);
    object.spec = { defaultBackend: service, tls: [{}], ingressClassName: 'x' };
    object.status.loadBalancer = { ingress: [{ ip: '192.0.2.3' }, { hostname: 'b' }, { ip: '192.0.2.3' }] };
    assert.deepEqual(cells(ingress, object), ['i', 'x', '*', '192.0.2.3,b', '80, 443', '0s']);
    object.spec.rules = ['a', 'b', 'c', 'd', 'e'].map((host) => ({ host }));
    assert.equal(cells(ingress, object)[2], 'a,b,c + 2 more...');
  });
});
