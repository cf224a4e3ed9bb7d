import { apiRelease, buildDocument } from '../../server/system/version.ts';
import type { MetricFamily } from './metric-family.ts';

/** A feature gate. */
export interface FeatureState {
  readonly name: string;
  /** As stock programs spell it: `ALPHA`, `BETA`, empty for stable ones. */
  readonly stage: string;
  readonly isOn: boolean;
}

export interface ProgramVersions {
  /** The release that the program reports. */
  readonly emulatedMinor?: number;
  /** Feature gates by name; default: none are shown. */
  readonly features?: readonly FeatureState[];
}

/** The build of the program, in the spelling of the labels: `git_version`. */
const buildLabels = Object.fromEntries(
  Object.entries(buildDocument()).map(([name, value]) => [
    name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    value,
  ]),
);

/** What every program says of itself. */
export function programFamilies({
  emulatedMinor = Number(apiRelease.minor),
  features = [],
}: ProgramVersions): readonly MetricFamily[] {
  const versionLabels = {
    binary: `${apiRelease.major}.${apiRelease.minor}`,
    component: 'kube',
    emulation: `${apiRelease.major}.${emulatedMinor}`,
    min_compat: `${apiRelease.major}.${emulatedMinor - 1}`,
  };
  return [
    {
      name: 'kubernetes_build_info',
      type: 'gauge',
      help: '1, with what the program is as labels.',
      samples: () => [{ labels: buildLabels, value: 1 }],
    },
    {
      name: 'version_info',
      type: 'gauge',
      help: '1, with the release of the program, the one that it emulates, and the oldest that it is compatible with.',
      samples: () => [{ labels: versionLabels, value: 1 }],
    },
    {
      name: 'kubernetes_feature_enabled',
      type: 'gauge',
      help: '1 for each feature gate that is on, 0 for each that is off.',
      samples: () => features.map(({ name, stage, isOn }) => ({ labels: { name, stage }, value: isOn ? 1 : 0 })),
    },
  ];
}
