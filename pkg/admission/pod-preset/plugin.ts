import { podPresets } from '../../api/settings/tokens.ts';
import { pods } from '../../api/core/tokens.ts';
import { deepCopy } from '../../apimachinery/json/deep.ts';
import { labelSelectorAsSelector } from '../../apimachinery/selectors/label-selector.ts';
import { getKey, setKey } from '../../apimachinery/json/own-keys.ts';
import type { Pod } from '../../generated/types/core-v1.ts';
import type { PodPreset } from '../../generated/types/settings-v1alpha1.ts';
import type { AdmissionPlugin } from '../admission.ts';
import { checkSteps } from '../bounded-work.ts';
import type { ObjectLookup } from '../object-lookup.ts';
import { handles, requestsOn } from '../handles.ts';
import { applyPresets, PresetConflict } from './merge.ts';

const MIRROR = 'kubernetes.io/config.mirror';
const PREFIX = 'podpreset.admission.kubernetes.io';

/**
 * Adds the environment and volumes of matching presets to new pods: of all that match, or of none where they contradict
 * each other.
 */
export function podPresetPlugin(lookup: ObjectLookup): AdmissionPlugin {
  return {
    name: 'PodPreset',
    admit: handles(requestsOn(pods, 'CREATE'), async (request) => {
      const pod = request.object;
      if (
        getKey(pod.metadata.annotations, `${PREFIX}/exclude`) === 'true' ||
        getKey(pod.metadata.annotations, MIRROR) !== undefined
      )
        return;
      const all = await lookup.list(podPresets, request.namespace);
      const presets = all
        .filter(({ spec }) => labelSelectorAsSelector(spec.selector).matches(pod.metadata.labels))
        .map((preset) => deepCopy(preset));
      if (presets.length === 0) return;
      checkSteps(
        request,
        presets.reduce((sum, preset) => sum + itemsOf(preset), 0) * (pod.spec.containers ?? []).length,
        'containers and items of presets',
      );
      const copy = deepCopy(pod);
      try {
        applyPresets(copy, presets);
      } catch (error) {
        if (!(error instanceof PresetConflict)) throw error;
        request.notes.warn(`pod presets are not applied: ${error.message}`);
        return;
      }
      pod.spec = copy.spec;
      pod.metadata.annotations = withPresetNames(pod, presets);
    }),
  };
}

/** What a preset adds to each container. */
function itemsOf({ spec }: PodPreset): number {
  return (spec.env ?? []).length + (spec.envFrom ?? []).length + (spec.volumeMounts ?? []).length;
}

function withPresetNames({ metadata }: Pod, presets: readonly PodPreset[]): Record<string, string> {
  const annotations = { ...metadata.annotations };
  for (const { metadata: preset } of presets)
    setKey(annotations, `${PREFIX}/podpreset-${preset.name}`, preset.resourceVersion ?? '');
  return annotations;
}
