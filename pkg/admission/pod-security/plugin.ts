import { eachContainer } from '../../api/core/pod-spec/each-container.ts';
import { namespaces, pods } from '../../api/core/tokens.ts';
import { aggregateText } from '../../apimachinery/errors/field-errors.ts';
import { field } from '../../apimachinery/errors/field-path.ts';
import { getKey } from '../../apimachinery/json/own-keys.ts';
import { goQuote } from '../../apimachinery/values/go-format.ts';
import { internalError, invalid } from '../../apimachinery/errors/status-error.ts';
import type { Pod } from '../../generated/types/core-v1.ts';
import type { AdmissionPlugin, AdmissionRequest } from '../admission.ts';
import type { ObjectLookup } from '../object-lookup.ts';
import { refusal } from '../refusal.ts';
import { handles, isFor, type RequestOn } from '../handles.ts';
import type { PodSecuritySettings } from './configuration.ts';
import { violationDetails, violationsOf } from './evaluate-pod.ts';
import { warningsOfPods } from './existing-pods.ts';
import { isSame, LEVELS, levelText, type LevelVersion, type PodSecurityPolicies } from './level.ts';
import { policiesOf } from './namespace-policies.ts';
import type { PodSecurityObserver } from './pod-security-observer.ts';
import { hasTemplate, templateOf, type PodTemplate } from './pod-specs.ts';

const ANNOTATION_PREFIX = 'pod-security.kubernetes.io/';
/** Paths below pods that bring no containers; any other path is checked. */
const HARMLESS_PATHS = new Set(['exec', 'attach', 'binding', 'eviction', 'log', 'portforward', 'proxy', 'status']);

/** Enforces the security level of a namespace's labels on its pods. */
export function podSecurityPlugin(
  lookup: ObjectLookup,
  settings: PodSecuritySettings,
  observer: PodSecurityObserver,
): AdmissionPlugin {
  return {
    name: 'PodSecurity',
    validate: handles(isWrite, async (request) => {
      if (isFor(request, namespaces)) await validateNamespace(lookup, settings, request);
      else if (bringsContainers(request)) await validatePod(lookup, settings, observer, request);
      else if (request.subresource === '' && hasTemplate(request.definition))
        await validateTemplate(lookup, settings, observer, request);
    }),
  };
}

function isWrite({ operation }: AdmissionRequest): boolean {
  return operation === 'CREATE' || operation === 'UPDATE';
}

/** The body of every other path below pods is the pod itself. */
function bringsContainers(request: AdmissionRequest): request is RequestOn<Pod, 'CREATE' | 'UPDATE'> {
  return isFor(request, pods) && !HARMLESS_PATHS.has(request.subresource);
}

async function validateNamespace(
  lookup: ObjectLookup,
  { defaults, exemptNamespaces, exemptRuntimeClasses }: PodSecuritySettings,
  request: AdmissionRequest,
): Promise<void> {
  if (request.subresource !== '') return;
  const name = request.object!.metadata.name ?? '';
  const { policies, errors } = policiesOf(request.object!.metadata.labels, defaults);
  const before = request.oldObject === undefined ? undefined : policiesOf(request.oldObject.metadata.labels, defaults);
  // Labels that were wrong before may stay so.
  if (errors.length > 0 && (before === undefined || aggregateText(errors) !== aggregateText(before.errors)))
    throw invalid({ group: '', kind: 'Namespace' }, name, errors);
  if (before === undefined || !isStricter(policies.enforce, before.policies.enforce) || exemptNamespaces.has(name))
    return;
  const present = await lookup.list(pods, name);
  const isExempt = ({ spec }: Pod): boolean => exemptRuntimeClasses.has(spec.runtimeClassName ?? '');
  for (const warning of await warningsOfPods(name, present, policies.enforce, isExempt)) request.notes.warn(warning);
}

function isStricter(now: LevelVersion, before: LevelVersion): boolean {
  if (isSame(now, before) || now.level === 'privileged') return false;
  return now.version !== before.version || LEVELS.indexOf(now.level) > LEVELS.indexOf(before.level);
}

async function validatePod(
  lookup: ObjectLookup,
  settings: PodSecuritySettings,
  observer: PodSecurityObserver,
  request: RequestOn<Pod, 'CREATE' | 'UPDATE'>,
): Promise<void> {
  if (isExempt(settings, observer, request)) return;
  const found = await policiesFor(lookup, settings, request);
  if (found.problem === undefined && isPrivileged(found.policies, 'enforce', 'audit', 'warn')) {
    request.notes.annotate(`${ANNOTATION_PREFIX}enforce-policy`, levelText(found.policies.enforce));
    observer.podEvaluated(request, 'enforce', found.policies.enforce, true);
    return;
  }
  const { object: pod } = request;
  if (request.oldObject !== undefined && !isSignificantUpdate(pod, request.oldObject)) return;
  evaluate(settings, observer, request, pod, found, true);
}

/** Objects that create pods are not refused, since their pods will be: the author is warned. */
async function validateTemplate(
  lookup: ObjectLookup,
  settings: PodSecuritySettings,
  observer: PodSecurityObserver,
  request: AdmissionRequest,
): Promise<void> {
  if (isExempt(settings, observer, request)) return;
  const found = await policiesFor(lookup, settings, request);
  if (found.problem === undefined && isPrivileged(found.policies, 'audit', 'warn')) return;
  const template = templateOf(request.definition, request.object!);
  if (template !== undefined) evaluate(settings, observer, request, template, found, false);
}

function isExempt(
  { exemptNamespaces, exemptUsers }: PodSecuritySettings,
  observer: PodSecurityObserver,
  request: AdmissionRequest,
): boolean {
  const { namespace, user, notes } = request;
  const reason = exemptNamespaces.has(namespace)
    ? 'namespace'
    : user.name !== '' && exemptUsers.has(user.name)
      ? 'user'
      : undefined;
  if (reason === undefined) return false;
  notes.annotate(`${ANNOTATION_PREFIX}exempt`, reason);
  observer.podExempted(request);
  return true;
}

interface FoundPolicies {
  readonly policies: PodSecurityPolicies;
  /** The problems of the namespace's labels. */
  readonly problem: string | undefined;
}

async function policiesFor(
  lookup: ObjectLookup,
  { defaults }: PodSecuritySettings,
  { namespace }: AdmissionRequest,
): Promise<FoundPolicies> {
  const found = await lookup.get(namespaces, '', namespace);
  if (found === undefined) throw internalError(new Error(`failed to lookup namespace ${namespace}`));
  const { policies, errors } = policiesOf(found.metadata.labels, defaults);
  return { policies, problem: errors.length === 0 ? undefined : aggregateText(errors) };
}

function isPrivileged(policies: PodSecurityPolicies, ...modes: readonly (keyof PodSecurityPolicies)[]): boolean {
  return modes.every((mode) => policies[mode].level === 'privileged');
}

function evaluate(
  settings: PodSecuritySettings,
  observer: PodSecurityObserver,
  request: AdmissionRequest,
  { metadata, spec }: PodTemplate,
  { policies, problem }: FoundPolicies,
  enforce: boolean,
): void {
  const { notes } = request;
  if (settings.exemptRuntimeClasses.has(spec.runtimeClassName ?? '')) {
    notes.annotate(`${ANNOTATION_PREFIX}exempt`, 'runtimeClass');
    observer.podExempted(request);
    return;
  }
  if (problem !== undefined) notes.annotate(`${ANNOTATION_PREFIX}error`, `Failed to parse policy: ${problem}`);
  const detailsFor = (mode: keyof PodSecurityPolicies): string | undefined => {
    const policy = policies[mode];
    const violations = violationsOf(policy, metadata, spec);
    // Of audits and warnings only denials are counted.
    if (mode === 'enforce' || violations.length > 0)
      observer.podEvaluated(request, mode, policy, violations.length === 0);
    return violations.length === 0
      ? undefined
      : `violate PodSecurity ${goQuote(levelText(policy))}: ${violationDetails(violations)}`;
  };
  const forbidden = enforce ? detailsFor('enforce') : undefined;
  if (enforce) notes.annotate(`${ANNOTATION_PREFIX}enforce-policy`, levelText(policies.enforce));
  const audited = detailsFor('audit');
  if (audited !== undefined) notes.annotate(`${ANNOTATION_PREFIX}audit-violations`, `would ${audited}`);
  if (forbidden !== undefined) throw refusal(request, forbidden.replace(/^violate/, 'violates'));
  const warned = detailsFor('warn');
  if (warned !== undefined) notes.warn(`would ${warned}`);
}

const SECCOMP_POD = 'seccomp.security.alpha.kubernetes.io/pod';
const SECCOMP_CONTAINER = 'container.seccomp.security.alpha.kubernetes.io/';

/**
 * Whether an update changes anything that a policy could forbid: most of a pod is immutable, and old pods must stay
 * updatable under new policies.
 */
function isSignificantUpdate(pod: Pod, old: Pod): boolean {
  const annotation = ({ metadata }: Pod, key: string): string | undefined => getKey<string>(metadata.annotations, key);
  if (annotation(pod, SECCOMP_POD) !== annotation(old, SECCOMP_POD)) return true;
  const before = new Map([...eachContainer(old.spec, field('spec'))].map(([container]) => [container.name, container]));
  for (const [{ name, image }] of eachContainer(pod.spec, field('spec'))) {
    const key = `${SECCOMP_CONTAINER}${name}`;
    if (!before.has(name) || before.get(name)!.image !== image || annotation(pod, key) !== annotation(old, key))
      return true;
    before.delete(name);
  }
  return before.size > 0;
}
