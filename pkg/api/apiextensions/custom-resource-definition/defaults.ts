import type * as v1 from '../../../generated/types/apiextensions-v1.ts';
import type * as beta from '../../../generated/types/apiextensions-v1beta1.ts';

export function setDefaults({ spec, status }: v1.CustomResourceDefinition): void {
  setNameDefaults(spec.names);
  spec.conversion ??= { strategy: 'None' };
  setServiceDefaults(spec.conversion.webhook?.clientConfig);
  setStoredVersions(status, spec.versions ?? []);
}

export function setBetaDefaults({ spec, status }: beta.CustomResourceDefinition): void {
  spec.scope ||= 'Namespaced';
  setNameDefaults(spec.names);
  // Once there was only one version, and its name was enough.
  if (!spec.versions?.length && spec.version) spec.versions = [{ name: spec.version, served: true, storage: true }];
  if (!spec.version && spec.versions?.[0] !== undefined) spec.version = spec.versions[0].name;
  spec.conversion ??= { strategy: 'None' };
  if (spec.conversion.strategy === 'Webhook' && !spec.conversion.conversionReviewVersions?.length) {
    spec.conversion.conversionReviewVersions = ['v1beta1'];
  }
  setServiceDefaults(spec.conversion.webhookClientConfig);
  spec.preserveUnknownFields ??= true;
  setStoredVersions(status, spec.versions ?? []);
}

function setNameDefaults(names: v1.CustomResourceDefinitionNames): void {
  names.singular ||= names.kind.toLowerCase();
  if (names.singular === '') delete names.singular;
  if (names.kind !== '') names.listKind ||= `${names.kind}List`;
}

function setServiceDefaults(config: v1.WebhookClientConfig | undefined): void {
  if (config?.service !== undefined) config.service.port ??= 443;
}

function setStoredVersions(
  status: v1.CustomResourceDefinitionStatus,
  versions: readonly { name: string; storage: boolean }[],
): void {
  if (status.storedVersions?.length) return;
  const stored = versions.find((version) => version.storage);
  if (stored !== undefined) status.storedVersions = [stored.name];
}
