import type { AnyResource } from '../resource-definition.ts';
import { certificateSigningRequest } from './certificate-signing-request/certificate-signing-request.ts';
import { clusterTrustBundle } from './cluster-trust-bundle/cluster-trust-bundle.ts';
import { podCertificateRequest } from './pod-certificate-request/pod-certificate-request.ts';

export const certificatesResources: AnyResource[] = [
  certificateSigningRequest,
  clusterTrustBundle,
  podCertificateRequest,
];
