import type * as v1 from '../../../generated/types/networking-v1.ts';
import type * as beta from '../../../generated/types/networking-v1beta1.ts';

/**
 * The beta versions (networking.k8s.io and extensions, of the same shape) write a service backend as two fields beside
 * `resource`, and call the default backend `backend`. Nothing is lost in either direction.
 */

export function ingressToV1(ingress: beta.Ingress): v1.Ingress {
  const { backend, rules, ...rest } = ingress.spec;
  const spec: v1.IngressSpec = rest;
  if (backend !== undefined) spec.defaultBackend = backendToV1(backend);
  if (rules !== undefined) {
    spec.rules = rules.map(({ http, ...rule }) =>
      http === undefined ? rule : { ...rule, http: { paths: mapOrNull(http.paths, pathToV1) } },
    );
  }
  return { ...ingress, spec };
}

export function ingressFromV1(ingress: v1.Ingress): beta.Ingress {
  const { defaultBackend, rules, ...rest } = ingress.spec;
  const spec: beta.IngressSpec = rest;
  if (defaultBackend !== undefined) spec.backend = backendFromV1(defaultBackend);
  if (rules !== undefined) {
    spec.rules = rules.map(({ http, ...rule }) =>
      http === undefined ? rule : { ...rule, http: { paths: mapOrNull(http.paths, pathFromV1) } },
    );
  }
  return { ...ingress, spec };
}

function mapOrNull<T, U>(items: readonly T[] | null, convert: (item: T) => U): U[] | null {
  return items === null ? null : items.map(convert);
}

function pathToV1({ path, pathType, backend }: beta.HTTPIngressPath): v1.HTTPIngressPath {
  return { ...(path !== undefined && { path }), pathType: pathType ?? null, backend: backendToV1(backend) };
}

function pathFromV1({ path, pathType, backend }: v1.HTTPIngressPath): beta.HTTPIngressPath {
  return {
    ...(path !== undefined && { path }),
    ...(pathType !== null && { pathType }),
    backend: backendFromV1(backend),
  };
}

function backendToV1({ serviceName, servicePort, resource }: beta.IngressBackend): v1.IngressBackend {
  const backend: v1.IngressBackend = {};
  if (serviceName || servicePort !== 0) {
    backend.service = { name: serviceName ?? '', port: portToV1(servicePort) };
  }
  if (resource !== undefined) backend.resource = resource;
  return backend;
}

function portToV1(port: number | string): v1.ServiceBackendPort {
  if (typeof port === 'string') return port === '' ? {} : { name: port };
  return port === 0 ? {} : { number: port };
}

function backendFromV1({ service, resource }: v1.IngressBackend): beta.IngressBackend {
  const backend: beta.IngressBackend = { servicePort: service?.port.name || (service?.port.number ?? 0) };
  if (service?.name) backend.serviceName = service.name;
  if (resource !== undefined) backend.resource = resource;
  return backend;
}
