import type { PersistentVolumeClaimSpec, TypedLocalObjectReference } from '../../../generated/types/core-v1.ts';

/**
 * A claim names its data source in two fields (KEP 1495): `dataSource`, which old clients know and which takes two
 * kinds only, and `dataSourceRef`, which takes any. The server keeps both equal. In place; `old` is the stored spec, if
 * there is one.
 */
export function normalizeDataSources(
  spec: PersistentVolumeClaimSpec,
  old: PersistentVolumeClaimSpec | undefined,
): void {
  // Other kinds in dataSource were always ignored, and clients may rely on it.
  if (old?.dataSource === undefined && spec.dataSource !== undefined && !isClaimOrSnapshot(spec.dataSource))
    delete spec.dataSource;
  const { dataSource, dataSourceRef } = spec;
  if (dataSource !== undefined && dataSourceRef === undefined) {
    spec.dataSourceRef = { ...dataSource };
  } else if (dataSource === undefined && dataSourceRef !== undefined && !dataSourceRef.namespace) {
    spec.dataSource = { apiGroup: dataSourceRef.apiGroup, kind: dataSourceRef.kind, name: dataSourceRef.name };
  }
}

function isClaimOrSnapshot({ apiGroup, kind }: TypedLocalObjectReference): boolean {
  return apiGroup
    ? apiGroup === 'snapshot.storage.k8s.io' && kind === 'VolumeSnapshot'
    : kind === 'PersistentVolumeClaim';
}
