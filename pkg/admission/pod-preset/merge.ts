import { deepEqual } from '../../apimachinery/json/deep.ts';
import type { Container, EnvVar, Pod, Volume, VolumeMount } from '../../generated/types/core-v1.ts';
import type { PodPreset } from '../../generated/types/settings-v1alpha1.ts';

/** Two presets, or a preset and the pod, have different values for one name. */
export class PresetConflict extends Error {}

/** Adds the content of presets to a pod. In place; throws `PresetConflict`, and then the pod may be half changed. */
export function applyPresets(pod: Pod, presets: readonly PodPreset[]): void {
  const volumes = merged<Volume>('volumes', pod.spec.volumes, presets, ({ spec }) => spec.volumes);
  if (volumes !== undefined) pod.spec.volumes = volumes;
  for (const container of pod.spec.containers ?? []) applyToContainer(container, presets);
}

function applyToContainer(container: Container, presets: readonly PodPreset[]): void {
  const env = merged<EnvVar>('env', container.env, presets, ({ spec }) => spec.env);
  if (env !== undefined) container.env = env;
  const sources = presets.flatMap(({ spec }) => spec.envFrom ?? []);
  if (sources.length > 0) container.envFrom = [...(container.envFrom ?? []), ...sources];
  const mounts = merged<VolumeMount>('volume mounts', container.volumeMounts, presets, ({ spec }) => spec.volumeMounts);
  if (mounts === undefined) return;
  checkPaths(mounts);
  container.volumeMounts = mounts;
}

/** The existing items and those that presets add under new names; undefined where they add nothing. */
function merged<T extends { name: string }>(
  what: string,
  given: readonly T[] | undefined,
  presets: readonly PodPreset[],
  listOf: (preset: PodPreset) => readonly T[] | undefined,
): T[] | undefined {
  const all = [...(given ?? [])];
  const byName = new Map(all.map((item) => [item.name, item]));
  for (const preset of presets) {
    for (const item of listOf(preset) ?? []) {
      const known = byName.get(item.name);
      if (known === undefined) {
        byName.set(item.name, item);
        all.push(item);
      } else if (!deepEqual(known, item)) {
        throw new PresetConflict(`merging ${what} for ${preset.metadata.name} has a conflict on ${item.name}`);
      }
    }
  }
  return all.length === (given?.length ?? 0) ? undefined : all;
}

function checkPaths(mounts: readonly VolumeMount[]): void {
  const paths = new Set<string>();
  for (const { mountPath } of mounts) {
    if (paths.has(mountPath))
      throw new PresetConflict(`merging volume mounts has a conflict on mount path ${mountPath}`);
    paths.add(mountPath);
  }
}
