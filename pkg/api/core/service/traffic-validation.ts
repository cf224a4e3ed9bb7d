import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import { field } from '../../../apimachinery/errors/field-path.ts';
import { isValidPortNum } from '../../../apimachinery/names/names.ts';
import type { Service, ServiceSpec } from '../../../generated/types/core-v1.ts';
import { reportProblems } from '../../validation/names.ts';
import { hasClusterIp, needsExternalTrafficPolicy, needsHealthCheckNodePort } from './allocation-rules.ts';

const POLICIES = ['Cluster', 'Local'];
const DISTRIBUTIONS = ['PreferClose', 'PreferSameNode', 'PreferSameZone'];

/** Policy and health check of traffic from outside of the cluster. */
export function validateExternalTraffic(service: Service, errors: FieldErrors): void {
  const { externalTrafficPolicy: policy, healthCheckNodePort: port } = service.spec;
  const policyPath = field('spec', 'externalTrafficPolicy');
  if (!needsExternalTrafficPolicy(service)) {
    if (policy) errors.invalid(policyPath, policy, "may only be set when `type` is 'NodePort' or 'LoadBalancer'");
  } else if (!policy) {
    errors.required(policyPath);
  } else if (!POLICIES.includes(policy)) {
    errors.notSupported(policyPath, policy, POLICIES);
  }
  const portPath = field('spec', 'healthCheckNodePort');
  if (!needsHealthCheckNodePort(service)) {
    if (port)
      errors.invalid(
        portPath,
        port,
        "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'",
      );
  } else if (!port) {
    errors.required(portPath);
  } else {
    reportProblems(isValidPortNum(port), port, portPath, errors);
  }
}

export function validateInternalTraffic(spec: ServiceSpec, errors: FieldErrors): void {
  const path = field('spec', 'internalTrafficPolicy');
  const policy = spec.internalTrafficPolicy;
  if (policy === undefined) {
    if (hasClusterIp({ spec } as Service)) errors.required(path);
  } else if (!POLICIES.includes(policy)) {
    errors.notSupported(path, policy, POLICIES);
  }
}

export function validateTrafficDistribution({ trafficDistribution }: ServiceSpec, errors: FieldErrors): void {
  if (trafficDistribution === undefined || DISTRIBUTIONS.includes(trafficDistribution)) return;
  errors.notSupported(field('spec', 'trafficDistribution'), trafficDistribution, DISTRIBUTIONS);
}
