import { nameIsDns1123Subdomain } from '../../../apimachinery/names/names.ts';
import type { ValidatingWebhookConfiguration } from '../../../generated/types/admissionregistration-v1.ts';
import { defineResource } from '../../resource-definition.ts';
import { ADMISSION_GROUP, ADMISSION_V1, ADMISSION_V1BETA1 } from '../admissionregistration-group.ts';
import { setBetaWebhookDefaults, setWebhookDefaults } from '../webhook-defaults.ts';
import { webhookTable } from '../webhook-table.ts';
import { validateWebhooks, validateWebhooksUpdate } from '../webhook-validation.ts';

/** Webhooks that may refuse requests. */
export const validatingWebhookConfiguration = defineResource<ValidatingWebhookConfiguration>({
  group: ADMISSION_GROUP,
  resource: 'validatingwebhookconfigurations',
  kind: 'ValidatingWebhookConfiguration',
  singular: 'validatingwebhookconfiguration',
  categories: ['api-extensions'],
  namespaced: false,
  hub: ADMISSION_V1,
  storageVersion: ADMISSION_V1,
  storagePath: 'validatingwebhookconfigurations',
  versions: [
    {
      groupVersion: ADMISSION_V1,
      message: 'admissionregistration/v1.ValidatingWebhookConfiguration',
      setDefaults: setWebhookDefaults,
    },
    {
      groupVersion: ADMISSION_V1BETA1,
      message: 'admissionregistration/v1beta1.ValidatingWebhookConfiguration',
      setDefaults: setBetaWebhookDefaults,
      deprecation: { deprecatedIn: '1.16', removedIn: '1.22', replacement: ADMISSION_V1 },
    },
  ],
  validateName: nameIsDns1123Subdomain,
  allowUnconditionalUpdate: false,
  generationOf: (object) => object.webhooks,
  validate: (object, errors, context) => validateWebhooks(object, context.requestVersion, errors),
  validateUpdate: validateWebhooksUpdate,
  metadataChecksOnUpdate: ['object'],
  table: webhookTable,
});
