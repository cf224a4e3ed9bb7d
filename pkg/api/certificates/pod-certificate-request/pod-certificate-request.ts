import { nameIsDns1123Subdomain } from '../../../apimachinery/names/names.ts';
import type { PodCertificateRequest } from '../../../generated/types/certificates-v1beta1.ts';
import { defineResource, type TableDefinition } from '../../resource-definition.ts';
import { labelsText } from '../../table-cells.ts';
import { NAME_COLUMN } from '../../table-columns.ts';
import {
  validatePodCertificateRequest,
  validatePodCertificateRequestStatus,
  validatePodCertificateRequestUpdate,
} from './validation.ts';

const DEFAULT_SECONDS = 86_400;

function setDefaults({ spec }: PodCertificateRequest): void {
  spec.maxExpirationSeconds ??= DEFAULT_SECONDS;
}

const table: TableDefinition<PodCertificateRequest> = {
  columns: [
    NAME_COLUMN,
    { name: 'PodName', type: 'string', description: 'Pod that the certificate is for.' },
    { name: 'ServiceAccountName', type: 'string', description: 'Service account that the pod runs as.' },
    { name: 'NodeName', type: 'string', description: 'Node that the pod runs on.' },
    { name: 'SignerName', type: 'string', description: 'Signer that is asked.' },
    { name: 'State', type: 'string', description: 'What has become of the request.' },
    {
      name: 'UnverifiedUserAnnotations',
      type: 'string',
      description: 'What the pod reports about itself; not verified.',
    },
  ],
  row: ({ metadata, spec, status }) => ({
    cells: [
      metadata.name ?? '',
      spec.podName,
      spec.serviceAccountName,
      spec.nodeName,
      spec.signerName,
      status.conditions?.find((condition) => condition.status === 'True')?.type ?? 'Pending',
      labelsText(spec.unverifiedUserAnnotations),
    ],
  }),
};

/** Requests a certificate for a running pod from a signer. */
export const podCertificateRequest = defineResource<PodCertificateRequest>({
  group: 'certificates.k8s.io',
  resource: 'podcertificaterequests',
  kind: 'PodCertificateRequest',
  singular: 'podcertificaterequest',
  namespaced: true,
  hub: 'certificates.k8s.io/v1beta1',
  storageVersion: 'certificates.k8s.io/v1beta1',
  storagePath: 'podcertificaterequests',
  versions: [
    { groupVersion: 'certificates.k8s.io/v1beta1', message: 'certificates/v1beta1.PodCertificateRequest', setDefaults },
  ],
  subresources: [
    { name: 'status', verbs: ['get', 'patch', 'update'], validateUpdate: validatePodCertificateRequestStatus },
  ],
  validateName: nameIsDns1123Subdomain,
  allowUnconditionalUpdate: false,
  validate: validatePodCertificateRequest,
  validateUpdate: validatePodCertificateRequestUpdate,
  metadataChecksOnUpdate: ['update'],
  fieldLabels: {
    'spec.signerName': (object) => object.spec.signerName,
    'spec.podName': (object) => object.spec.podName,
    'spec.nodeName': (object) => object.spec.nodeName,
  },
  table,
});
