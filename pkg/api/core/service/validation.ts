import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import { field } from '../../../apimachinery/errors/field-path.ts';
import { parseCidr } from '../../../apimachinery/names/ip.ts';
import { isValidIp } from '../../../apimachinery/names/names.ts';
import { validateLabels } from '../../../apimachinery/meta/object-meta-validation.ts';
import { getKey } from '../../../apimachinery/json/own-keys.ts';
import type { Service, ServiceSpec } from '../../../generated/types/core-v1.ts';
import { validateNonSpecialIp } from '../../validation/ip-addresses.ts';
import { reportProblems, validateDns1123Subdomain, validateQualifiedName } from '../../validation/names.ts';
import { isHeadless } from './allocation-rules.ts';
import { validateClusterIps } from './cluster-ips-validation.ts';
import { validatePorts, validatePortUniqueness } from './ports-validation.ts';
import { validateExternalTraffic, validateInternalTraffic, validateTrafficDistribution } from './traffic-validation.ts';

const TYPES = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];
const AFFINITIES = ['ClientIP', 'None'];
const AFFINITY_TIMEOUT_SECONDS_MAX = 86400;
const SOURCE_RANGES_ANNOTATION = 'service.beta.kubernetes.io/load-balancer-source-ranges';
/** Agents of nodes listen here: a load balancer in front of it has exposed nodes before. */
const AGENT_PORT = 10250;
const BALANCER_ONLY = "may only be used when `type` is 'LoadBalancer'";

const specPath = field('spec');

export function validateService(service: Service, errors: FieldErrors): void {
  const { spec } = service;
  const isExternalName = spec.type === 'ExternalName';
  if (!spec.ports?.length && !isHeadless(service) && !isExternalName) errors.required(specPath.child('ports'));
  validateFieldsOfType(service, errors);
  validatePorts(spec.ports ?? [], specPath.child('ports'), errors);
  validateLabels(spec.selector, specPath.child('selector'), errors);
  validateAffinity(spec, errors);
  validateClusterIps(service, errors);
  validateExternalIps(spec.externalIPs ?? [], errors);
  if (!spec.type) errors.required(specPath.child('type'));
  else if (!TYPES.includes(spec.type)) errors.notSupported(specPath.child('type'), spec.type, TYPES);
  validatePortUniqueness(spec, specPath.child('ports'), errors);
  validateSourceRanges(service, errors);
  validateNodePortAllocation(spec, errors);
  validateLoadBalancerClass(spec, errors);
  validateExternalTraffic(service, errors);
  validateInternalTraffic(spec, errors);
  validateTrafficDistribution(spec, errors);
}

function validateFieldsOfType(service: Service, errors: FieldErrors): void {
  const { spec } = service;
  switch (spec.type) {
    case 'LoadBalancer':
      for (const [i, { port }] of (spec.ports ?? []).entries()) {
        if (port === AGENT_PORT)
          errors.invalid(
            specPath.child('ports').index(i),
            port,
            `may not expose port ${AGENT_PORT} externally since it is used by kubelet`,
          );
      }
      break;
    case 'NodePort':
      break;
    case 'ExternalName':
      return validateExternalName(spec, errors);
    default:
      return;
  }
  if (isHeadless(service))
    errors.invalid(specPath.child('clusterIPs').index(0), 'None', `may not be set to 'None' for ${spec.type} services`);
}

/** An external name is an alias and has no address. */
function validateExternalName(spec: ServiceSpec, errors: FieldErrors): void {
  const without = 'may not be set for ExternalName services';
  if (spec.clusterIPs?.length) errors.forbidden(specPath.child('clusterIPs'), without);
  if (spec.ipFamilies?.length) errors.forbidden(specPath.child('ipFamilies'), without);
  if (spec.ipFamilyPolicy !== undefined) errors.forbidden(specPath.child('ipFamilyPolicy'), without);
  const name = (spec.externalName ?? '').replace(/\.$/, '');
  if (name === '') errors.required(specPath.child('externalName'));
  else validateDns1123Subdomain(name, specPath.child('externalName'), errors);
}

function validateAffinity(
  { sessionAffinity: affinity, sessionAffinityConfig: config }: ServiceSpec,
  errors: FieldErrors,
): void {
  const path = specPath.child('sessionAffinity');
  if (!affinity) errors.required(path);
  else if (!AFFINITIES.includes(affinity)) errors.notSupported(path, affinity, AFFINITIES);
  const configPath = specPath.child('sessionAffinityConfig');
  if (affinity === 'None' && config !== undefined)
    errors.forbidden(configPath, 'must not be set when session affinity is None');
  if (affinity !== 'ClientIP') return;
  const needed = 'when session affinity type is ClientIP';
  if (config === undefined) return errors.required(configPath, needed);
  if (config.clientIP === undefined) return errors.required(configPath.child('clientIP'), needed);
  const seconds = config.clientIP.timeoutSeconds;
  const secondsPath = configPath.child('clientIP', 'timeoutSeconds');
  if (seconds === undefined) errors.required(secondsPath, needed);
  else if (seconds <= 0 || seconds > AFFINITY_TIMEOUT_SECONDS_MAX) {
    errors.invalid(secondsPath, seconds, `must be greater than 0 and less than ${AFFINITY_TIMEOUT_SECONDS_MAX}`);
  }
}

function validateExternalIps(ips: readonly string[], errors: FieldErrors): void {
  for (const [i, ip] of ips.entries()) {
    const path = specPath.child('externalIPs').index(i);
    const problems = isValidIp(ip);
    reportProblems(problems, ip, path, errors);
    if (problems.length === 0) validateNonSpecialIp(ip, path, errors);
  }
}

/** The clients of a load balancer: in the spec, or in the older annotation. */
function validateSourceRanges({ metadata, spec }: Service, errors: FieldErrors): void {
  const ranges = spec.loadBalancerSourceRanges ?? [];
  const annotation = getKey<string>(metadata.annotations, SOURCE_RANGES_ANNOTATION);
  if (ranges.length === 0 && annotation === undefined) return;
  const inSpec = ranges.length > 0;
  const path = inSpec
    ? specPath.child('LoadBalancerSourceRanges')
    : field('metadata', 'annotations').key(SOURCE_RANGES_ANNOTATION);
  if (spec.type !== 'LoadBalancer') errors.forbidden(path, BALANCER_ONLY);
  const texts = inSpec ? ranges : annotation!.trim() === '' ? [] : annotation!.split(',');
  if (texts.every((text) => parseCidr(text.trim()) !== undefined)) return;
  errors.invalid(
    path,
    inSpec ? `[${ranges.join(' ')}]` : annotation,
    'must be a list of IP ranges. For example, 10.240.0.0/24,10.250.0.0/24 ',
  );
}

function validateNodePortAllocation(
  { type, allocateLoadBalancerNodePorts: allocate }: ServiceSpec,
  errors: FieldErrors,
): void {
  if (allocate !== undefined && type !== 'LoadBalancer')
    errors.forbidden(specPath.child('allocateLoadBalancerNodePorts'), BALANCER_ONLY);
  // Without `spec` in the path, as Kubernetes has it.
  if (allocate === undefined && type === 'LoadBalancer') errors.required(field('allocateLoadBalancerNodePorts'));
}

export function validateLoadBalancerClass({ type, loadBalancerClass }: ServiceSpec, errors: FieldErrors): void {
  if (loadBalancerClass === undefined) return;
  const path = specPath.child('loadBalancerClass');
  if (type === 'LoadBalancer') validateQualifiedName(loadBalancerClass, path, errors);
  else errors.forbidden(path, BALANCER_ONLY);
}
