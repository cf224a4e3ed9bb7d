import type { IResponseHeader } from 'etcd3';

/**
 * The same number that the other transport reads, which rounds once per seven bits: a store that changes its transport
 * is still the same cluster.
 */
export function clusterIdOf({ cluster_id: text }: IResponseHeader): number {
  let id = 0;
  let factor = 1;
  for (let left = BigInt(text); left > 0n; left >>= 7n, factor *= 128) id += Number(left & 0x7fn) * factor;
  return id;
}
