import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import { field } from '../../../apimachinery/errors/field-path.ts';
import { validateLabelSelector } from '../../../apimachinery/selectors/label-selector.ts';
import { nameIsDns1123Subdomain } from '../../../apimachinery/names/names.ts';
import type { Container } from '../../../generated/types/core-v1.ts';
import type { PodPreset } from '../../../generated/types/settings-v1alpha1.ts';
import { validateEnv, validateEnvFrom } from '../../core/pod-spec/env.ts';
import { setVolumeDefaults } from '../../core/pod-spec/volume-defaults.ts';
import { validateMountsAndDevices } from '../../core/pod-spec/volume-mounts.ts';
import { validateVolumes } from '../../core/pod-spec/volumes.ts';
import { defineResource } from '../../resource-definition.ts';

function setPodPresetDefaults({ spec }: PodPreset): void {
  for (const volume of spec.volumes ?? []) setVolumeDefaults(volume);
  for (const { valueFrom } of spec.env ?? [])
    if (valueFrom?.fieldRef !== undefined) valueFrom.fieldRef.apiVersion ??= 'v1';
}

function validatePodPreset({ spec }: PodPreset, errors: FieldErrors): void {
  const path = field('spec');
  const { env, envFrom, volumes, volumeMounts } = spec;
  validateLabelSelector(spec.selector, path.child('selector'), errors);
  if (env === undefined && envFrom === undefined && volumes === undefined && volumeMounts === undefined) {
    errors.required(path.child('volumes', 'env', 'envFrom', 'volumeMounts'), 'must specify at least one');
  }
  const known = validateVolumes(volumes ?? [], undefined, path.child('volumes'), errors);
  validateEnv(env ?? [], path.child('env'), errors);
  validateEnvFrom(envFrom ?? [], path.child('envFrom'), errors);
  // Whether a container may propagate its mounts is known only when there is a container: here it counts as privileged.
  const container: Container = { name: '', resources: {}, volumeMounts, securityContext: { privileged: true } };
  validateMountsAndDevices(container, known, path, errors);
}

export const podPreset = defineResource<PodPreset>({
  group: 'settings.k8s.io',
  resource: 'podpresets',
  kind: 'PodPreset',
  singular: 'podpreset',
  namespaced: true,
  hub: 'settings.k8s.io/v1alpha1',
  versions: [
    {
      groupVersion: 'settings.k8s.io/v1alpha1',
      message: 'settings/v1alpha1.PodPreset',
      setDefaults: setPodPresetDefaults,
    },
  ],
  storageVersion: 'settings.k8s.io/v1alpha1',
  storagePath: 'podpresets',
  validateName: nameIsDns1123Subdomain,
  metadataChecksOnUpdate: ['update'],
  validate: validatePodPreset,
  validateUpdate: (object, _old, errors) => validatePodPreset(object, errors),
});
