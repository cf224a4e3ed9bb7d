import { nameIsDns1123Subdomain } from '../../../apimachinery/names/names.ts';
import type * as v1 from '../../../generated/types/admissionregistration-v1.ts';
import type * as beta from '../../../generated/types/admissionregistration-v1beta1.ts';
import { defineResource } from '../../resource-definition.ts';
import { ADMISSION_GROUP, ADMISSION_V1, ADMISSION_V1BETA1 } from '../admissionregistration-group.ts';
import { setBetaWebhookDefaults, setReinvocationDefaults, setWebhookDefaults } from '../webhook-defaults.ts';
import { webhookTable } from '../webhook-table.ts';
import { validateWebhooks, validateWebhooksUpdate } from '../webhook-validation.ts';

/** Webhooks that may change objects before they are stored. */
export const mutatingWebhookConfiguration = defineResource<v1.MutatingWebhookConfiguration>({
  group: ADMISSION_GROUP,
  resource: 'mutatingwebhookconfigurations',
  kind: 'MutatingWebhookConfiguration',
  singular: 'mutatingwebhookconfiguration',
  categories: ['api-extensions'],
  namespaced: false,
  hub: ADMISSION_V1,
  storageVersion: ADMISSION_V1,
  storagePath: 'mutatingwebhookconfigurations',
  versions: [
    {
      groupVersion: ADMISSION_V1,
      message: 'admissionregistration/v1.MutatingWebhookConfiguration',
      setDefaults(object: v1.MutatingWebhookConfiguration) {
        setWebhookDefaults(object);
        setReinvocationDefaults(object);
      },
    },
    {
      groupVersion: ADMISSION_V1BETA1,
      message: 'admissionregistration/v1beta1.MutatingWebhookConfiguration',
      setDefaults(object: beta.MutatingWebhookConfiguration) {
        setBetaWebhookDefaults(object);
        setReinvocationDefaults(object);
      },
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
