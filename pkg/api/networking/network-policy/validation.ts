import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import { field, type FieldPath } from '../../../apimachinery/errors/field-path.ts';
import { goStringSlice } from '../../../apimachinery/values/go-format.ts';
import { type Cidr, parseCidr } from '../../../apimachinery/names/ip.ts';
import { validateLabelSelector } from '../../../apimachinery/selectors/label-selector.ts';
import { isValidPortName, isValidPortNum } from '../../../apimachinery/names/names.ts';
import type {
  IPBlock,
  NetworkPolicy,
  NetworkPolicyPeer,
  NetworkPolicyPort,
} from '../../../generated/types/networking-v1.ts';

const PROTOCOLS = ['TCP', 'UDP', 'SCTP'];
const POLICY_TYPES = ['Ingress', 'Egress'];

export function validateNetworkPolicy({ spec }: NetworkPolicy, errors: FieldErrors): void {
  const path = field('spec');
  validateLabelSelector(spec.podSelector, path.child('podSelector'), errors);
  for (const [i, rule] of (spec.ingress ?? []).entries()) {
    validateRule(rule.ports, rule.from, 'from', path.child('ingress').index(i), errors);
  }
  for (const [i, rule] of (spec.egress ?? []).entries()) {
    validateRule(rule.ports, rule.to, 'to', path.child('egress').index(i), errors);
  }
  const types = spec.policyTypes ?? [];
  if (types.length > POLICY_TYPES.length) {
    return errors.invalid(path.child('policyTypes'), goStringSlice(types), 'may not specify more than two policyTypes');
  }
  for (const [i, type] of types.entries()) {
    if (!POLICY_TYPES.includes(type)) errors.notSupported(path.child('policyTypes').index(i), type, POLICY_TYPES);
  }
}

/** Stock servers check the spec of an update twice, and report its errors twice. */
export function validateNetworkPolicyUpdate(policy: NetworkPolicy, _old: NetworkPolicy, errors: FieldErrors): void {
  validateNetworkPolicy(policy, errors);
  validateNetworkPolicy(policy, errors);
}

function validateRule(
  ports: NetworkPolicyPort[] | undefined,
  peers: NetworkPolicyPeer[] | undefined,
  peersName: string,
  path: FieldPath,
  errors: FieldErrors,
): void {
  for (const [i, port] of (ports ?? []).entries()) validatePort(port, path.child('ports').index(i), errors);
  for (const [i, peer] of (peers ?? []).entries()) validatePeer(peer, path.child(peersName).index(i), errors);
}

function validatePort({ protocol, port, endPort }: NetworkPolicyPort, path: FieldPath, errors: FieldErrors): void {
  if (protocol !== undefined && !PROTOCOLS.includes(protocol))
    errors.notSupported(path.child('protocol'), protocol, PROTOCOLS);
  const endPath = path.child('endPort');
  if (port === undefined) {
    if (endPort !== undefined) errors.invalid(endPath, endPort, 'may not be specified when `port` is not specified');
  } else if (typeof port === 'string') {
    if (endPort !== undefined) errors.invalid(endPath, endPort, 'may not be specified when `port` is non-numeric');
    for (const problem of isValidPortName(port)) errors.invalid(path.child('port'), port, problem);
  } else {
    for (const problem of isValidPortNum(port)) errors.invalid(path.child('port'), port, problem);
    if (endPort === undefined) return;
    if (endPort < port) errors.invalid(endPath, port, 'must be greater than or equal to `port`');
    for (const problem of isValidPortNum(endPort)) errors.invalid(endPath, endPort, problem);
  }
}

function validatePeer(
  { podSelector, namespaceSelector, ipBlock }: NetworkPolicyPeer,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (podSelector !== undefined) validateLabelSelector(podSelector, path.child('podSelector'), errors);
  if (namespaceSelector !== undefined)
    validateLabelSelector(namespaceSelector, path.child('namespaceSelector'), errors);
  if (ipBlock !== undefined) validateIpBlock(ipBlock, path.child('ipBlock'), errors);
  const selected = podSelector !== undefined || namespaceSelector !== undefined;
  if (!selected && ipBlock === undefined) errors.required(path, 'must specify a peer');
  if (selected && ipBlock !== undefined) errors.forbidden(path, 'may not specify both ipBlock and another peer');
}

function validateIpBlock(block: IPBlock, path: FieldPath, errors: FieldErrors): void {
  if (block.cidr === '') return errors.required(path.child('cidr'));
  const cidr = parseCidr(block.cidr);
  if (cidr === undefined) return errors.invalid(path.child('cidr'), block.cidr, 'not a valid CIDR');
  for (const [i, text] of (block.except ?? []).entries()) {
    const exceptPath = path.child('except').index(i);
    const except = parseCidr(text);
    if (except === undefined) return errors.invalid(exceptPath, text, 'not a valid CIDR');
    if (!isStrictSubset(except, cidr)) errors.invalid(exceptPath, text, 'must be a strict subset of `cidr`');
  }
}

function isStrictSubset(inner: Cidr, outer: Cidr): boolean {
  if (inner.base.length !== outer.base.length || inner.prefixBits <= outer.prefixBits) return false;
  return outer.base.every((byte, i) => {
    const bits = Math.min(8, Math.max(0, outer.prefixBits - i * 8));
    return byte === ((inner.base[i] ?? 0) & (0xff00 >> bits));
  });
}
