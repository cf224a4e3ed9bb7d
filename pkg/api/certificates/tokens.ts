import { tokenOf } from '../resource-definition.ts';
import { certificateSigningRequest } from './certificate-signing-request/certificate-signing-request.ts';
import { clusterTrustBundle } from './cluster-trust-bundle/cluster-trust-bundle.ts';
import { podCertificateRequest } from './pod-certificate-request/pod-certificate-request.ts';

export const certificateSigningRequests = tokenOf(certificateSigningRequest);
export const clusterTrustBundles = tokenOf(clusterTrustBundle);
export const podCertificateRequests = tokenOf(podCertificateRequest);
