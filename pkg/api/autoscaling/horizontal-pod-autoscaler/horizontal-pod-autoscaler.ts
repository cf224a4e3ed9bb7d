import type { HorizontalPodAutoscaler } from '../../../generated/types/autoscaling-v2.ts';
import { defineResource } from '../../resource-definition.ts';
import { setV1Defaults, setV2beta1Defaults, setV2Defaults } from './defaults.ts';
import { dropRoundtripAnnotations } from './roundtrip-annotations.ts';
import { autoscalerTable } from './table.ts';
import { v1FromHub, v1ToHub } from './v1-conversion.ts';
import { v2beta1FromHub, v2beta1ToHub } from './v2beta1-conversion.ts';
import {
  validateAutoscaler,
  validateAutoscalerName,
  validateAutoscalerStatusUpdate,
  validateAutoscalerUpdate,
} from './validation.ts';

function v2ToHub(object: HorizontalPodAutoscaler): HorizontalPodAutoscaler {
  dropRoundtripAnnotations(object.metadata);
  return object;
}

export const horizontalPodAutoscaler = defineResource<HorizontalPodAutoscaler>({
  group: 'autoscaling',
  resource: 'horizontalpodautoscalers',
  kind: 'HorizontalPodAutoscaler',
  singular: 'horizontalpodautoscaler',
  shortNames: ['hpa'],
  categories: ['all'],
  namespaced: true,
  hub: 'autoscaling/v2',
  versions: [
    {
      groupVersion: 'autoscaling/v2',
      message: 'autoscaling/v2.HorizontalPodAutoscaler',
      setDefaults: setV2Defaults,
      toHub: v2ToHub,
    },
    {
      groupVersion: 'autoscaling/v1',
      message: 'autoscaling/v1.HorizontalPodAutoscaler',
      setDefaults: setV1Defaults,
      toHub: v1ToHub,
      fromHub: v1FromHub,
    },
    {
      groupVersion: 'autoscaling/v2beta1',
      message: 'autoscaling/v2beta1.HorizontalPodAutoscaler',
      setDefaults: setV2beta1Defaults,
      toHub: v2beta1ToHub,
      fromHub: v2beta1FromHub,
      deprecation: { deprecatedIn: '1.22', removedIn: '1.25', replacement: 'autoscaling/v2' },
    },
  ],
  storageVersion: 'autoscaling/v2',
  storagePath: 'horizontalpodautoscalers',
  subresources: [{ name: 'status', verbs: ['get', 'patch', 'update'], validateUpdate: validateAutoscalerStatusUpdate }],
  validateName: validateAutoscalerName,
  metadataChecksOnUpdate: ['update'],
  validate: validateAutoscaler,
  validateUpdate: validateAutoscalerUpdate,
  table: autoscalerTable,
});
