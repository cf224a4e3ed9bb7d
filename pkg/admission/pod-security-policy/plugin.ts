import { podSecurityPolicies } from '../../api/policy/tokens.ts';
import { deepCopy, semanticDeepEqual } from '../../apimachinery/json/deep.ts';
import { FieldErrors, fieldErrorText } from '../../apimachinery/errors/field-errors.ts';
import { getKey, setKey } from '../../apimachinery/json/own-keys.ts';
import type { Authorizer } from '../../authorization/authorizer.ts';
import type { Pod } from '../../generated/types/core-v1.ts';
import type { AdmissionPlugin } from '../admission.ts';
import type { ObjectLookup } from '../object-lookup.ts';
import { handles, writesContainers, type RequestOn } from '../handles.ts';
import { refusal } from '../refusal.ts';
import { checkPod } from './check-pod.ts';
import { setPolicyDefaults } from './defaults.ts';
import { nameOf, usablePolicies } from './usable-policies.ts';

/** Names the policy by which a pod was admitted. */
const ANNOTATION = 'kubernetes.io/psp';
const AUDIT_PREFIX = 'podsecuritypolicy.admission.k8s.io/';
/**
 * Characters after which no further error is added: a value that a pod has once, such as its profile, may come back for
 * each policy and container.
 */
const TEXT_MAX = 64 * 1024;

interface Admitted {
  readonly pod: Pod;
  readonly policy: string;
}

/**
 * Pods need a policy that their author, or their account, may use and that they satisfy, after its defaults are set.
 */
export function podSecurityPolicyPlugin(lookup: ObjectLookup, authorizer: Authorizer): AdmissionPlugin {
  const search = async (
    request: RequestOn<Pod, 'CREATE' | 'UPDATE'>,
    pod: Pod,
    mayChange: (pod: Pod, changed: Pod) => boolean,
    first: string,
  ): Promise<Admitted> => {
    const policies = await lookup.list(podSecurityPolicies, '');
    if (policies.length === 0) throw refusal(request, 'no providers available to validate pod request');
    const errors = new FieldErrors();
    let changed: Admitted | undefined;
    for (const policy of await usablePolicies(policies, authorizer, request, first)) {
      const copy = deepCopy(pod);
      setPolicyDefaults(policy, copy);
      const own = new FieldErrors();
      checkPod(policy, copy, own);
      if (own.length > 0) {
        errors.add(own);
        continue;
      }
      const found = { pod: copy, policy: nameOf(policy) };
      const isUnchanged = semanticDeepEqual(pod, copy);
      if (!isUnchanged && !mayChange(pod, copy)) continue;
      // A policy that leaves the pod unchanged comes before one that changes it.
      if (isUnchanged) return found;
      changed ??= found;
    }
    if (changed === undefined)
      throw refusal(request, `unable to validate against any pod security policy: ${textOf(errors)}`);
    return changed;
  };
  return {
    name: 'PodSecurityPolicy',
    admit: handles(writesContainers, async (request) => {
      const pod = concernedPod(request);
      // A pod is validated when it is created; a debug container when it is added.
      if (pod === undefined || (request.operation === 'UPDATE' && request.subresource === '')) return;
      const isNew = request.operation === 'CREATE';
      // The annotation of a new pod is from its author: it does not choose.
      const admitted = isNew
        ? await search(request, pod, () => true, '')
        : await search(request, pod, changesDebugContainersOnly, lastPolicyOf(pod));
      Object.assign(pod.metadata, admitted.pod.metadata);
      Object.assign(pod.spec, admitted.pod.spec);
      if (isNew) setPolicyAnnotation(pod, admitted.policy);
      request.notes.annotate(`${AUDIT_PREFIX}admit-policy`, admitted.policy);
    }),
    validate: handles(writesContainers, async (request) => {
      const pod = concernedPod(request);
      if (pod === undefined) return;
      const { policy } = await search(request, pod, () => false, lastPolicyOf(pod));
      request.notes.annotate(`${AUDIT_PREFIX}validate-policy`, policy);
    }),
  };
}

function textOf(errors: FieldErrors): string {
  const texts: string[] = [];
  let length = 0;
  for (const error of errors.items) {
    if (length > TEXT_MAX) break;
    const text = fieldErrorText(error);
    texts.push(text);
    length += text.length;
  }
  return `[${texts.join(' ')}]`;
}

/** The garbage collector is never refused. */
function concernedPod({ object: pod, oldObject: old }: RequestOn<Pod, 'CREATE' | 'UPDATE'>): Pod | undefined {
  if (old === undefined) return pod;
  const withoutCollection = (object: Pod): Pod => {
    const copy = deepCopy(object);
    for (const name of ['ownerReferences', 'finalizers', 'resourceVersion', 'managedFields', 'selfLink'] as const)
      delete copy.metadata[name];
    return copy;
  };
  return semanticDeepEqual(withoutCollection(pod), withoutCollection(old)) ? undefined : pod;
}

function changesDebugContainersOnly(pod: Pod, changed: Pod): boolean {
  const others = ({ metadata, spec }: Pod): object => ({ metadata, spec: { ...spec, ephemeralContainers: undefined } });
  return semanticDeepEqual(others(pod), others(changed));
}

function lastPolicyOf({ metadata }: Pod): string {
  return getKey<string>(metadata.annotations, ANNOTATION) ?? '';
}

function setPolicyAnnotation({ metadata }: Pod, policy: string): void {
  const annotations = { ...metadata.annotations };
  setKey(annotations, ANNOTATION, policy);
  metadata.annotations = annotations;
}
