import { readClusterConfig, type ClusterConfig } from '../../client/cluster-config.ts';
import { ConfigurationSection } from '../configuration-section.ts';

export interface ImagePolicyConfiguration {
  readonly backend: ClusterConfig;
  /** How long answers are cached, milliseconds; 0 for not at all. */
  readonly allowTtlMs: number;
  readonly denyTtlMs: number;
  /** Pause after the first attempt that failed, milliseconds. */
  readonly retryBackoffMs: number;
  /** Pods are admitted when the backend does not answer. */
  readonly defaultAllow: boolean;
}

const HALF_HOUR_MS = 30 * 60_000;

/** Reads the section `imagePolicy`. Throws Error. */
export function imagePolicyConfiguration(configuration: unknown): ImagePolicyConfiguration {
  const section = new ConfigurationSection(configuration).section('imagePolicy');
  const file = section.text('kubeConfigFile') ?? '';
  if (file === '') throw new Error(`${section.at('kubeConfigFile')} must name a file`);
  const defaultAllow = section.raw('defaultAllow') ?? false;
  if (typeof defaultAllow !== 'boolean') throw new Error(`${section.at('defaultAllow')} must be true or false`);
  return {
    allowTtlMs: duration(section, 'allowTTL', {
      unitMs: 1000,
      minMs: 1000,
      maxMs: HALF_HOUR_MS,
      defaultMs: 5 * 60_000,
    }),
    denyTtlMs: duration(section, 'denyTTL', { unitMs: 1000, minMs: 1000, maxMs: HALF_HOUR_MS, defaultMs: 30_000 }),
    retryBackoffMs: duration(section, 'retryBackoff', { unitMs: 1, minMs: 1, maxMs: 5 * 60_000, defaultMs: 500 }),
    defaultAllow,
    backend: readClusterConfig(file),
  };
}

/** A number of units; absent and 0 are the default, -1 turns it off. */
function duration(
  section: ConfigurationSection,
  name: string,
  { unitMs, minMs, maxMs, defaultMs }: { unitMs: number; minMs: number; maxMs: number; defaultMs: number },
): number {
  const value = section.raw(name) ?? 0;
  if (!Number.isSafeInteger(value)) throw new Error(`${section.at(name)} must be an integer`);
  if (value === 0) return defaultMs;
  if (value === -1) return 0;
  const ms = (value as number) * unitMs;
  if (ms < minMs || ms > maxMs)
    throw new Error(
      `${section.at(name)}: valid value is between ${minMs / unitMs} and ${maxMs / unitMs}, got ${String(value)}`,
    );
  return ms;
}
