import type { RuleWithOperations } from '../../generated/types/admissionregistration-v1.ts';
import type { Operation } from '../admission.ts';

/** The request, as rules match it. */
export interface RequestSubject {
  readonly operation: Operation;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  /** It is for one namespace: namespace objects themselves are not. */
  readonly inNamespace: boolean;
}

export interface Rule {
  matches(subject: RequestSubject): boolean;
}

export function compileRule({
  operations,
  apiGroups,
  apiVersions,
  resources = [],
  scope = '*',
}: RuleWithOperations): Rule {
  const operation = oneOf(operations);
  const group = oneOf(apiGroups);
  const version = oneOf(apiVersions);
  const places = resources.map((text) => {
    const slash = text.indexOf('/');
    return slash < 0
      ? { resource: text, subresource: '' }
      : { resource: text.slice(0, slash), subresource: text.slice(slash + 1) };
  });
  return {
    matches(subject) {
      if (scope !== '*' && (scope === 'Namespaced') !== subject.inNamespace) return false;
      if (!operation(subject.operation) || !group(subject.group) || !version(subject.version)) return false;
      // A star behind the slash includes the object itself.
      return places.some(({ resource, subresource }) => {
        return (
          (resource === '*' || resource === subject.resource) &&
          (subresource === '*' || subresource === subject.subresource)
        );
      });
    },
  };
}

function oneOf(values: readonly string[] = []): (value: string) => boolean {
  return values.includes('*') ? () => true : (value) => values.includes(value);
}
