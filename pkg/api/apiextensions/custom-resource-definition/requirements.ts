import { FieldPath } from '../../../apimachinery/errors/field-path.ts';
import { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import type { CustomResourceDefinitionSpec, JSONSchemaProps } from '../../../generated/types/apiextensions-v1.ts';
import { type SchemaRequirements, validateOpenApiSchema } from '../schema/openapi-validation.ts';
import { isStructural } from '../schema/structural-validation.ts';
import { schemaDepth } from '../schema/sub-schemas.ts';
import { REVIEW_VERSIONS } from './conversion-validation.ts';

/** The requirements of a definition: fewer through the beta version, and for one that was stored with fewer. */
export interface Requirements extends SchemaRequirements {
  readonly knownReviewVersion: boolean;
  readonly schemas: boolean;
  readonly structural: boolean;
}

const DEPTH_MAX = 256;
const EVERYTHING: Requirements = {
  knownReviewVersion: true,
  schemas: true,
  structural: true,
  knownTypes: true,
  atomicSetItems: true,
  mapKeysAlwaysSet: true,
};

export function requirementsForCreate(spec: CustomResourceDefinitionSpec, requestVersion: string): Requirements {
  if (requestVersion !== 'apiextensions.k8s.io/v1beta1') return EVERYTHING;
  return {
    ...EVERYTHING,
    schemas: false,
    structural: !spec.preserveUnknownFields,
    knownTypes: false,
    atomicSetItems: false,
    mapKeysAlwaysSet: false,
  };
}

export function requirementsForUpdate(
  spec: CustomResourceDefinitionSpec,
  old: CustomResourceDefinitionSpec,
  requestVersion: string,
): Requirements {
  const asked = requirementsForCreate(spec, requestVersion);
  const versions = old.versions ?? [];
  const schemas = versions.flatMap((version) => version.schema?.openAPIV3Schema ?? []);
  const reviewVersions = old.conversion?.webhook?.conversionReviewVersions ?? [];
  const meets = (requirement: Partial<SchemaRequirements>): boolean =>
    schemas.every((schema) => meetsRequirement(schema, requirement));
  return {
    knownReviewVersion:
      reviewVersions.length === 0 || reviewVersions.some((version) => REVIEW_VERSIONS.includes(version)),
    schemas: asked.schemas && schemas.length === versions.length,
    structural:
      asked.structural &&
      schemas.every((schema) => schemaDepth(schema) <= DEPTH_MAX && isStructural(schema, FieldPath.root())),
    knownTypes: asked.knownTypes && meets({ knownTypes: true }),
    atomicSetItems: asked.atomicSetItems && meets({ atomicSetItems: true }),
    mapKeysAlwaysSet: asked.mapKeysAlwaysSet && meets({ mapKeysAlwaysSet: true }),
  };
}

/** Whether the check could find anything new. */
function meetsRequirement(schema: JSONSchemaProps, requirement: Partial<SchemaRequirements>): boolean {
  if (schemaDepth(schema) > DEPTH_MAX) return false;
  const nothing: SchemaRequirements = { knownTypes: false, atomicSetItems: false, mapKeysAlwaysSet: false };
  return countErrors(schema, nothing) === countErrors(schema, { ...nothing, ...requirement });
}

function countErrors(schema: JSONSchemaProps, requirements: SchemaRequirements): number {
  const errors = new FieldErrors();
  validateOpenApiSchema(schema, requirements, FieldPath.root(), errors);
  return errors.length;
}
