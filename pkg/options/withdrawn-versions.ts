/**
 * Versions that releases 1.11 to 1.25 knew and in which nothing is served or stored here: those of configuration and of
 * reviews, and versions withdrawn in alpha. Existing manifests name them, as the default of `--storage-versions` does
 * in the reference.
 */
export const withdrawnVersions: ReadonlySet<string> = new Set([
  'admission.k8s.io/v1',
  'admission.k8s.io/v1beta1',
  'auditregistration.k8s.io/v1alpha1',
  'componentconfig/v1alpha1',
  'discovery.k8s.io/v1alpha1',
  'flowcontrol.apiserver.k8s.io/v1alpha1',
  'imagepolicy.k8s.io/v1alpha1',
  'internal.apiserver.k8s.io/v1alpha1',
  'networking.k8s.io/v1alpha1',
]);
