import { groupOf, type VersionedResource } from '../../api/scheme.ts';

/** Clients see in decoding errors which part of a stock server would have read the kind. */
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
