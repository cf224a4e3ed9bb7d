import type * as v1 from '../../../generated/types/apiextensions-v1.ts';
import type * as beta from '../../../generated/types/apiextensions-v1beta1.ts';
import { hoist } from './hoisting.ts';

/**
 * The beta version writes fields that all versions share beside them, names its first version a second time, calls
 * `jsonPath` `JSONPath`, and keeps unknown fields by default. Nothing is lost in either direction, except which of two
 * equal forms a client wrote.
 */

export function definitionFromBeta(definition: beta.CustomResourceDefinition): v1.CustomResourceDefinition {
  const {
    group,
    names,
    scope,
    validation,
    subresources,
    additionalPrinterColumns,
    selectableFields,
    versions,
    conversion,
  } = definition.spec;
  const spec: v1.CustomResourceDefinitionSpec = {
    group,
    names,
    scope,
    versions:
      versions === undefined
        ? null
        : versions.map((version) => {
            const { additionalPrinterColumns: ownColumns, ...fields } = version;
            const converted: v1.CustomResourceDefinitionVersion = fields;
            const columns = additionalPrinterColumns ?? ownColumns;
            converted.schema = validation ?? version.schema;
            converted.subresources = subresources ?? version.subresources;
            converted.additionalPrinterColumns = columns?.map(columnFromBeta);
            converted.selectableFields = selectableFields ?? version.selectableFields;
            return withoutUndefined(converted);
          }),
  };
  if (conversion !== undefined) spec.conversion = conversionFromBeta(conversion);
  if (definition.spec.preserveUnknownFields) spec.preserveUnknownFields = true;
  return { ...definition, spec };
}

export function definitionToBeta(definition: v1.CustomResourceDefinition): beta.CustomResourceDefinition {
  const { versions: all, conversion, preserveUnknownFields, ...rest } = definition.spec;
  const { shared, versions } = hoist(all ?? []);
  const spec: beta.CustomResourceDefinitionSpec = { ...rest, preserveUnknownFields: preserveUnknownFields ?? false };
  if (all?.[0] !== undefined) spec.version = all[0].name;
  if (all !== null && all.length > 0) {
    spec.versions = versions.map(({ additionalPrinterColumns, ...version }) =>
      additionalPrinterColumns === undefined
        ? version
        : { ...version, additionalPrinterColumns: additionalPrinterColumns.map(columnToBeta) },
    );
  }
  if (shared.schema !== undefined) spec.validation = shared.schema;
  if (shared.subresources !== undefined) spec.subresources = shared.subresources;
  if (shared.additionalPrinterColumns !== undefined)
    spec.additionalPrinterColumns = shared.additionalPrinterColumns.map(columnToBeta);
  if (shared.selectableFields !== undefined) spec.selectableFields = shared.selectableFields;
  if (conversion !== undefined) spec.conversion = conversionToBeta(conversion);
  return { ...definition, spec };
}

function columnFromBeta({
  JSONPath,
  ...column
}: beta.CustomResourceColumnDefinition): v1.CustomResourceColumnDefinition {
  return { ...column, jsonPath: JSONPath };
}

function columnToBeta({ jsonPath, ...column }: v1.CustomResourceColumnDefinition): beta.CustomResourceColumnDefinition {
  return { ...column, JSONPath: jsonPath };
}

function conversionFromBeta({
  strategy,
  webhookClientConfig,
  conversionReviewVersions,
}: beta.CustomResourceConversion): v1.CustomResourceConversion {
  if (webhookClientConfig === undefined && conversionReviewVersions === undefined) return { strategy };
  const webhook: v1.WebhookConversion = { conversionReviewVersions: conversionReviewVersions ?? null };
  if (webhookClientConfig !== undefined) webhook.clientConfig = webhookClientConfig;
  return { strategy, webhook };
}

function conversionToBeta({ strategy, webhook }: v1.CustomResourceConversion): beta.CustomResourceConversion {
  const conversion: beta.CustomResourceConversion = { strategy };
  if (webhook?.clientConfig !== undefined) conversion.webhookClientConfig = webhook.clientConfig;
  if (webhook?.conversionReviewVersions?.length) conversion.conversionReviewVersions = webhook.conversionReviewVersions;
  return conversion;
}

function withoutUndefined<T extends object>(object: T): T {
  for (const key of Object.keys(object) as (keyof T)[]) if (object[key] === undefined) delete object[key];
  return object;
}
