import { nameIsPathSegment } from '../../../apimachinery/names/names.ts';
import type { ClusterTrustBundle } from '../../../generated/types/certificates-v1beta1.ts';
import { defineResource } from '../../resource-definition.ts';
import { NAME_COLUMN } from '../../table-columns.ts';
import { validateClusterTrustBundle, validateClusterTrustBundleUpdate } from './validation.ts';

/** Certificates that pods can trust. */
export const clusterTrustBundle = defineResource<ClusterTrustBundle>({
  group: 'certificates.k8s.io',
  resource: 'clustertrustbundles',
  kind: 'ClusterTrustBundle',
  singular: 'clustertrustbundle',
  namespaced: false,
  hub: 'certificates.k8s.io/v1beta1',
  storageVersion: 'certificates.k8s.io/v1beta1',
  storagePath: 'clustertrustbundles',
  versions: [
    { groupVersion: 'certificates.k8s.io/v1beta1', message: 'certificates/v1beta1.ClusterTrustBundle' },
    {
      groupVersion: 'certificates.k8s.io/v1alpha1',
      message: 'certificates/v1alpha1.ClusterTrustBundle',
      served: false,
    },
  ],
  // The rest of the rule needs the signer's name.
  validateName: nameIsPathSegment,
  allowUnconditionalUpdate: false,
  validate: validateClusterTrustBundle,
  validateUpdate: validateClusterTrustBundleUpdate,
  fieldLabels: { 'spec.signerName': (object) => object.spec.signerName ?? '' },
  table: {
    columns: [
      NAME_COLUMN,
      { name: 'SignerName', type: 'string', description: 'Signer whose certificates the bundle makes trusted.' },
    ],
    row: ({ metadata, spec }) => ({ cells: [metadata.name ?? '', spec.signerName || '<none>'] }),
  },
});
