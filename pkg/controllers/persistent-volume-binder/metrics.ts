import { claimClass, volumeClass } from '../../api/core/persistent-volume/match-claim.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../../generated/types/core-v1.ts';
import { countByLabels, type ControllerMetrics } from '../controller-metrics.ts';
import { volumePlugin } from '../owned/volume-plugin.ts';

const SECONDS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 25, 50, 120, 300, 600];

export interface VolumeMetrics {
  /** A provisioner has worked, with success or not. */
  readonly operation: (name: 'provision' | 'delete', plugin: string, seconds: number, error: unknown) => void;
  /** A claim without a class was given the default one, or that failed. */
  readonly defaulted: (error: unknown) => void;
}

export function volumeMetrics(
  metrics: ControllerMetrics,
  volumes: () => readonly PersistentVolume[],
  claims: () => readonly PersistentVolumeClaim[],
): VolumeMetrics {
  countVolumes(metrics, volumes);
  countClaims(metrics, claims);
  const labels = ['operation_name', 'plugin_name'] as const;
  const seconds = metrics.histogram({
    name: 'volume_operation_total_seconds',
    help: 'Time from the start of an operation on a volume until it is done.',
    labels,
    buckets: SECONDS,
  });
  const errors = metrics.counter({
    name: 'volume_operation_total_errors',
    help: 'Operations on volumes that failed.',
    labels,
  });
  const defaults = metrics.counter({
    name: 'retroactive_storageclass_total',
    help: 'Claims without a storage class that were given the default one.',
  });
  const failures = metrics.counter({
    name: 'retroactive_storageclass_errors_total',
    help: 'Claims without a storage class that could not be given the default one.',
  });
  return {
    operation(name, plugin, took, error) {
      const values = { operation_name: name, plugin_name: plugin };
      if (error === undefined) seconds.observe(took, values);
      else errors.increment(values);
    },
    defaulted: (error) => (error === undefined ? defaults : failures).increment(),
  };
}

function countVolumes(metrics: ControllerMetrics, volumes: () => readonly PersistentVolume[]): void {
  const byClass = (name: string, help: string, isBound: boolean): void =>
    metrics.readGauge({ name, help, labels: ['storage_class'] }, () =>
      countByLabels(
        volumes().filter(({ status }) => (status.phase === 'Bound') === isBound),
        (volume) => ({ storage_class: volumeClass(volume) }),
      ),
    );
  byClass('pv_collector_bound_pv_count', 'Volumes that are bound.', true);
  byClass('pv_collector_unbound_pv_count', 'Volumes that are not bound.', false);
  const total = {
    name: 'pv_collector_total_pv_count',
    help: 'Volumes.',
    labels: ['plugin_name', 'volume_mode'] as const,
  };
  metrics.readGauge(total, () =>
    countByLabels(volumes(), ({ spec }) => ({
      plugin_name: volumePlugin(spec),
      volume_mode: spec.volumeMode ?? 'Filesystem',
    })),
  );
}

function countClaims(metrics: ControllerMetrics, claims: () => readonly PersistentVolumeClaim[]): void {
  const labels = ['namespace', 'storage_class', 'volume_attributes_class'] as const;
  const each = (name: string, help: string, isBound: boolean): void =>
    metrics.readGauge({ name, help, labels }, () =>
      countByLabels(
        claims().filter(({ status }) => (status.phase === 'Bound') === isBound),
        (claim) => ({
          namespace: claim.metadata.namespace!,
          storage_class: claimClass(claim),
          volume_attributes_class: claim.spec.volumeAttributesClassName ?? '',
        }),
      ),
    );
  each('pv_collector_bound_pvc_count', 'Volume claims that are bound.', true);
  each('pv_collector_unbound_pvc_count', 'Volume claims that are not bound.', false);
}
