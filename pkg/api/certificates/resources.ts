import type { ApiGroup } from '../api-group.ts';
import { certificateSigningRequest } from './certificate-signing-request/certificate-signing-request.ts';
import { clusterTrustBundle } from './cluster-trust-bundle/cluster-trust-bundle.ts';
import { podCertificateRequest } from './pod-certificate-request/pod-certificate-request.ts';

export const certificatesGroup: ApiGroup = {
  name: 'certificates.k8s.io',
  priority: 17300,
  resources: [certificateSigningRequest, clusterTrustBundle, podCertificateRequest],
};
