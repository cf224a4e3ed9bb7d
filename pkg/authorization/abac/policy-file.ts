import { JsonError, parseJson } from '../../apimachinery/json/json.ts';
import { getKey } from '../../apimachinery/json/own-keys.ts';
import type { AbacPolicy } from './policy.ts';

const V1BETA1 = 'abac.authorization.kubernetes.io/v1beta1';
const AUTHENTICATED = 'system:authenticated';

export interface ReadPolicies {
  readonly policies: readonly AbacPolicy[];
  /** One text for each bad line, with its number. */
  readonly problems: readonly string[];
}

class LineProblem extends Error {}

/**
 * Parses a policy file: one JSON object a line, in the form of the group abac.authorization.kubernetes.io/v1beta1 or in
 * the older one without a version. Empty lines and comments (`#`) are skipped.
 */
export function readPolicies(text: string): ReadPolicies {
  const policies: AbacPolicy[] = [];
  const problems: string[] = [];
  for (const [i, line] of text.split('\n').entries()) {
    const trimmed = line.trim();
    if (trimmed === '' || trimmed.startsWith('#')) continue;
    try {
      policies.push(readPolicy(trimmed));
    } catch (error) {
      if (!(error instanceof LineProblem || error instanceof JsonError)) throw error;
      problems.push(`line ${i + 1}: ${error.message}`);
    }
  }
  return { policies, problems };
}

function readPolicy(line: string): AbacPolicy {
  const document = objectOf(parseJson(Buffer.from(line)), 'the line');
  const [apiVersion, kind] = [textOf(document, 'apiVersion'), textOf(document, 'kind')];
  if (apiVersion === '' && kind === '') return fromUnversioned(document);
  if (apiVersion !== V1BETA1)
    throw new LineProblem(`unknown apiVersion ${JSON.stringify(apiVersion)}: must be ${JSON.stringify(V1BETA1)}`);
  if (kind !== 'Policy') throw new LineProblem(`unknown kind ${JSON.stringify(kind)}: must be "Policy"`);
  const spec = objectOf(getKey(document, 'spec') ?? {}, 'spec');
  const [user, group] = [textOf(spec, 'user'), textOf(spec, 'group')];
  return {
    user,
    group: user === '*' || group === '*' ? AUTHENTICATED : group,
    readonly: switchOf(spec, 'readonly'),
    apiGroup: textOf(spec, 'apiGroup'),
    resource: textOf(spec, 'resource'),
    namespace: textOf(spec, 'namespace'),
    nonResourcePath: textOf(spec, 'nonResourcePath'),
  };
}

/** In the older form an absent field matches everything, and every line is for all API groups. */
function fromUnversioned(document: object): AbacPolicy {
  const [user, group, namespace, resource] = [
    textOf(document, 'user'),
    textOf(document, 'group'),
    textOf(document, 'namespace'),
    textOf(document, 'resource'),
  ];
  const isForAll = (user === '' && group === '') || user === '*' || group === '*';
  return {
    user,
    group: isForAll ? AUTHENTICATED : group,
    readonly: switchOf(document, 'readonly'),
    apiGroup: '*',
    namespace: namespace || '*',
    resource: resource || '*',
    nonResourcePath: namespace === '' && resource === '' ? '*' : '',
  };
}

function objectOf(value: unknown, what: string): object {
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    throw new LineProblem(`${what} must be a JSON object`);
  return value;
}

function textOf(document: object, name: string): string {
  const value = getKey(document, name) ?? '';
  if (typeof value !== 'string') throw new LineProblem(`${name} must be a string`);
  return value;
}

function switchOf(document: object, name: string): boolean {
  const value = getKey(document, name) ?? false;
  if (typeof value !== 'boolean') throw new LineProblem(`${name} must be true or false`);
  return value;
}
