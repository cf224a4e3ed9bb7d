import { SCORE_MAX, type ScorePlugin } from '../plugin.ts';

const MIB = 1024 * 1024;
const BYTES_MIN = 23 * MIB;
const CONTAINER_BYTES_MAX = 1000 * MIB;

/** Prefers nodes that have the images already; an image that few nodes have counts less, lest all pods go there. */
export const imageLocality: ScorePlugin = {
  name: 'ImageLocality',
  weight: 1,
  score({ pod: { spec } }, nodes, cluster) {
    const containers = [...(spec.containers ?? []), ...(spec.initContainers ?? [])];
    const images = containers.map(({ image = '' }) => normalizedName(image));
    const spread = new Map<string, number>();
    for (const image of images) {
      if (spread.has(image)) continue;
      spread.set(
        image,
        cluster.nodes.reduce((count, node) => count + (node.images.has(image) ? 1 : 0), 0),
      );
    }
    if ([...spread.values()].every((count) => count === 0)) return undefined;
    const max = CONTAINER_BYTES_MAX * Math.max(1, containers.length);
    return nodes.map((node) => {
      const bytes = images.reduce(
        (sum, image) => sum + ((node.images.get(image) ?? 0) * spread.get(image)!) / cluster.nodes.length,
        0,
      );
      return Math.floor((SCORE_MAX * (Math.min(max, Math.max(BYTES_MIN, bytes)) - BYTES_MIN)) / (max - BYTES_MIN));
    });
  },
};

/** The name with its tag, as nodes report it. */
function normalizedName(image: string): string {
  return image.lastIndexOf(':') <= image.lastIndexOf('/') && !image.includes('@') ? `${image}:latest` : image;
}
