import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../../apimachinery/errors/field-path.ts';
import { goText } from '../../../apimachinery/values/go-format.ts';
import { isDns1035Label, isDns1123Subdomain } from '../../../apimachinery/names/names.ts';
import {
  type CustomResourceDefinitionSpec,
  type CustomResourceDefinitionVersion,
  ResourceScopeValues,
} from '../../../generated/types/apiextensions-v1.ts';
import { hasDefaults, hasKubernetesExtensions } from '../schema/sub-schemas.ts';
import { validateConversion } from './conversion-validation.ts';
import { hoist } from './hoisting.ts';
import { validateNames, validateNamesPresent } from './names-validation.ts';
import type { Requirements } from './requirements.ts';
import { validateSchema } from './schema-validation.ts';
import {
  validateColumns,
  validateDeprecationWarning,
  validateSelectableFields,
  validateSubresources,
} from './shared-validation.ts';

const VERSIONS_VALUE = goText('[]apiextensions.CustomResourceDefinitionVersion{}');

/**
 * Checks all fields of a definition's spec. Errors about fields that all versions share use the beta version's paths,
 * as stock servers do.
 */
export function validateSpec(
  spec: CustomResourceDefinitionSpec,
  asked: Requirements,
  path: FieldPath,
  errors: FieldErrors,
): void {
  validateGroup(spec.group, path.child('group'), errors);
  if (spec.scope === '') errors.required(path.child('scope'));
  else if (!ResourceScopeValues.includes(spec.scope))
    errors.notSupported(path.child('scope'), spec.scope, ResourceScopeValues);
  const versions = spec.versions ?? [];
  const requirements = { ...asked, structural: asked.structural || needsStructure(spec, versions) };
  validateSchemasPresent(spec, requirements, path.child('versions'), errors);
  if (spec.preserveUnknownFields && versions.some((version) => hasDefaults(version.schema?.openAPIV3Schema))) {
    errors.invalid(path.child('preserveUnknownFields'), true, 'must be false in order to use defaults in the schema');
  }
  validateVersions(versions, requirements, path, errors);
  validateNamesPresent(spec.names, path.child('names'), errors);
  validateNames(spec.names, path.child('names'), errors);
  const { shared } = hoist(versions);
  const anyStatus = versions.some((version) => version.subresources?.status !== undefined);
  validateSchema(shared.schema, anyStatus, requirements, path.child('validation'), errors);
  validateSubresources(shared.subresources, path.child('subresources'), errors);
  validateColumns(shared.additionalPrinterColumns, path.child('additionalPrinterColumns'), errors);
  validateSelectableFields(shared.selectableFields, path.child('selectableFields'), errors);
  if (spec.conversion === undefined) return;
  const conversionPath = path.child('conversion');
  if (spec.conversion.strategy !== 'None' && spec.preserveUnknownFields) {
    errors.invalid(
      conversionPath.child('strategy'),
      spec.conversion.strategy,
      'must be None if spec.preserveUnknownFields is true',
    );
  }
  validateConversion(spec.conversion, requirements.knownReviewVersion, conversionPath, errors);
}

function validateGroup(group: string, path: FieldPath, errors: FieldErrors): void {
  if (group === '') return errors.required(path);
  const problems = isDns1123Subdomain(group);
  if (problems.length > 0) errors.invalid(path, group, problems.join(','));
  else if (!group.includes('.')) errors.invalid(path, group, 'should be a domain with at least one dot');
}

/** Pruning, defaults and extensions all need structural schemas. */
function needsStructure(
  spec: CustomResourceDefinitionSpec,
  versions: readonly CustomResourceDefinitionVersion[],
): boolean {
  if (!spec.preserveUnknownFields) return true;
  return versions.some(
    ({ schema }) => hasDefaults(schema?.openAPIV3Schema) || hasKubernetesExtensions(schema?.openAPIV3Schema),
  );
}

function validateSchemasPresent(
  spec: CustomResourceDefinitionSpec,
  requirements: Requirements,
  path: FieldPath,
  errors: FieldErrors,
): void {
  for (const [i, { schema, served }] of (spec.versions ?? []).entries()) {
    if (schema?.openAPIV3Schema !== undefined) continue;
    const schemaPath = path.index(i).child('schema', 'openAPIV3Schema');
    if (requirements.schemas) errors.required(schemaPath, 'schemas are required');
    else if (!spec.preserveUnknownFields && served)
      errors.required(schemaPath, 'because otherwise all fields are pruned');
  }
}

function validateVersions(
  versions: readonly CustomResourceDefinitionVersion[],
  requirements: Requirements,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const versionsPath = path.child('versions');
  const { versions: own } = hoist(versions);
  for (const [i, version] of versions.entries()) {
    const at = versionsPath.index(i);
    const problems = isDns1035Label(version.name);
    if (problems.length > 0) errors.invalid(at.child('name'), version.name, problems.join(','));
    validateDeprecationWarning(version, at.child('deprecationWarning'), errors);
    const rest = own[i]!;
    validateSchema(rest.schema, version.subresources?.status !== undefined, requirements, at.child('schema'), errors);
    validateSubresources(rest.subresources, at.child('subresources'), errors);
    validateColumns(rest.additionalPrinterColumns, at.child('additionalPrinterColumns'), errors);
    validateSelectableFields(rest.selectableFields, at.child('selectableFields'), errors);
  }
  if (new Set(versions.map((version) => version.name)).size < versions.length) {
    errors.invalid(versionsPath, VERSIONS_VALUE, 'must contain unique version names');
  }
  if (versions.filter((version) => version.storage).length !== 1) {
    errors.invalid(versionsPath, VERSIONS_VALUE, 'must have exactly one version marked as storage version');
  }
  // The beta version names the first version beside the list as well.
  const first = versions[0]?.name ?? '';
  const problems = first === '' ? [] : isDns1035Label(first);
  if (problems.length > 0) errors.invalid(path.child('version'), first, problems.join(','));
}
