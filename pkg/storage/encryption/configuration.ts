import { FieldErrors, fieldErrorText } from '../../apimachinery/errors/field-errors.ts';
import { FieldPath } from '../../apimachinery/errors/field-path.ts';
import type { JsonObject } from '../../apimachinery/json/json-object.ts';
import { parseYaml, YamlError } from '../../codec/yaml.ts';
import { coveredNames } from './resource-rules.ts';
import { readProvider, type ProviderSettings } from './provider-settings.ts';
import { fieldsOf, listOf } from './yaml-fields.ts';

/** Providers in order for some resources. */
export interface ResourceEncryption {
  /** `secrets`, `deployments.apps`; `*.` for the core group, `*.apps` for a group, `*.*` for all. */
  readonly resources: readonly string[];
  readonly providers: readonly ProviderSettings[];
}

/** All errors of an encryption configuration, a line each, by path. Never contains keys. */
export class EncryptionConfigurationError extends Error {
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(problems.join('; '));
    this.problems = problems;
  }
}

/** The accepted kinds: that of release 1.11 and that of later ones. */
const kinds: ReadonlySet<string> = new Set([
  'v1/EncryptionConfig',
  'apiserver.config.k8s.io/v1/EncryptionConfiguration',
]);

/** Reads `--experimental-encryption-provider-config`. Throws `EncryptionConfigurationError`. */
export function parseEncryptionConfiguration(text: string): ResourceEncryption[] {
  const errors = new FieldErrors();
  const document = readYaml(text);
  const kind = `${String(document['apiVersion'] ?? '')}/${String(document['kind'] ?? '')}`;
  if (!kinds.has(kind))
    throw new EncryptionConfigurationError([
      'kind: must be EncryptionConfiguration of apiserver.config.k8s.io/v1, or EncryptionConfig of v1',
    ]);
  const at = FieldPath.root('resources');
  const entries = listOf(document['resources'], at, errors);
  if (entries.length === 0) errors.required(at, 'at least one resources is required');
  const read = entries.map((entry, i) => readEntry(entry, at.index(i), errors));
  checkKmsNames(read, errors);
  if (errors.length > 0) throw new EncryptionConfigurationError(errors.items.map(fieldErrorText));
  return read;
}

function readYaml(text: string): JsonObject {
  try {
    return fieldsOf(parseYaml(text));
  } catch (error) {
    if (error instanceof YamlError) throw new EncryptionConfigurationError([error.message]);
    throw error;
  }
}

function readEntry(entry: JsonObject, at: FieldPath, errors: FieldErrors): ResourceEncryption {
  const resources = Array.isArray(entry['resources']) ? entry['resources'].map(String) : [];
  if (resources.length === 0)
    errors.required(at.child('resources'), `at least one ${at.child('resources')} is required`);
  for (const [i, name] of resources.entries()) {
    const path = at.child('resources').index(i);
    if (name === '*') errors.invalid(path, name, 'must be *. for all resources of the core group, or *.* for all');
    else if (!/^(?:[a-z0-9]+(?:\.[a-z0-9.-]+)?|\*\.(?:\*|[a-z0-9.-]*))$/.test(name))
      errors.invalid(path, name, 'must be a resource such as secrets or deployments.apps, or a pattern such as *.apps');
  }
  const covered = coveredNames(resources);
  if (covered.length > 0) {
    const detail = `is covered by a pattern of the same list`;
    for (const name of covered) errors.invalid(at.child('resources').index(resources.indexOf(name)), name, detail);
  }
  const providers = listOf(entry['providers'], at.child('providers'), errors);
  if (providers.length === 0)
    errors.required(at.child('providers'), `at least one ${at.child('providers')} is required`);
  return {
    resources,
    providers: providers.flatMap((provider, i) => readProvider(provider, at.child('providers').index(i), errors) ?? []),
  };
}

/**
 * Two services of version 2 need two names, by which values find them. Those of version 1 are tried one after the
 * other.
 */
function checkKmsNames(read: readonly ResourceEncryption[], errors: FieldErrors): void {
  const names = new Set<string>();
  for (const [i, { providers }] of read.entries()) {
    for (const [j, provider] of providers.entries()) {
      if (provider.type !== 'kms' || provider.kms.version !== 2) continue;
      const { name } = provider.kms;
      const at = FieldPath.root('resources').index(i).child('providers').index(j).child('kms', 'name');
      if (names.has(name)) errors.invalid(at, name, `duplicate KMS provider name ${name}, names must be unique`);
      names.add(name);
    }
  }
}
