import { groupOf, type VersionedResource } from '../../api/scheme.ts';

/** The part of a stock server that would have decoded the kind, as clients see it in decoding errors. */
export function resourceSchemeName(target: VersionedResource): string {
  switch (groupOf(target.groupVersion)) {
    case 'apiextensions.k8s.io':
      return 'k8s.io/apiextensions-apiserver/pkg/apiserver/apiserver.go:52';
    case 'apiregistration.k8s.io':
      return 'k8s.io/kube-aggregator/pkg/apiserver/scheme/scheme.go:33';
    default:
      return 'k8s.io/kubernetes/pkg/api/legacyscheme/scheme.go:30';
  }
}
