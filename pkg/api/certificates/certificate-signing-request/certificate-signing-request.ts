import { nameIsPathSegment } from '../../../apimachinery/names/names.ts';
import type { CertificateSigningRequest } from '../../../generated/types/certificates-v1.ts';
import { defineResource } from '../../resource-definition.ts';
import { setBetaDefaults } from './defaults.ts';
import { fillInRequestor, keepSpec, prepareApproval, prepareStatus } from './strategy.ts';
import { certificateSigningRequestTable } from './table.ts';
import { validateCertificateSigningRequest, validateUpdateWith } from './validation.ts';

/** Requests a certificate from a signer. */
export const certificateSigningRequest = defineResource<CertificateSigningRequest>({
  group: 'certificates.k8s.io',
  resource: 'certificatesigningrequests',
  kind: 'CertificateSigningRequest',
  singular: 'certificatesigningrequest',
  shortNames: ['csr'],
  namespaced: false,
  hub: 'certificates.k8s.io/v1',
  storageVersion: 'certificates.k8s.io/v1',
  storagePath: 'certificatesigningrequests',
  versions: [
    { groupVersion: 'certificates.k8s.io/v1', message: 'certificates/v1.CertificateSigningRequest' },
    {
      groupVersion: 'certificates.k8s.io/v1beta1',
      message: 'certificates/v1beta1.CertificateSigningRequest',
      setDefaults: setBetaDefaults,
      deprecation: { deprecatedIn: '1.19', removedIn: '1.22', replacement: 'certificates.k8s.io/v1' },
    },
  ],
  subresources: [
    {
      name: 'approval',
      verbs: ['get', 'patch', 'update'],
      prepareForUpdate: prepareApproval,
      validateUpdate: validateUpdateWith({ approval: true }),
      metadataChecksOnUpdate: ['object', 'update'],
    },
    {
      name: 'status',
      verbs: ['get', 'patch', 'update'],
      prepareForUpdate: prepareStatus,
      validateUpdate: validateUpdateWith({ certificate: true }),
      metadataChecksOnUpdate: ['object', 'update'],
    },
  ],
  validateName: nameIsPathSegment,
  prepareForCreate: fillInRequestor,
  prepareForUpdate: keepSpec,
  validate: validateCertificateSigningRequest,
  validateUpdate: validateUpdateWith({}),
  fieldLabels: { 'spec.signerName': (object) => object.spec.signerName },
  table: certificateSigningRequestTable,
});
