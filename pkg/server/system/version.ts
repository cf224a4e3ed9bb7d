/** The release of the API in `/version`, by which clients decide what to send. */
export const apiRelease = { major: '1', minor: '36', patch: '0' } as const;

/** Replaced by the build. */
declare const BINNACLE_VERSION: string | undefined;
declare const BINNACLE_COMMIT: string | undefined;

export const binnacleVersion = typeof BINNACLE_VERSION === 'string' ? BINNACLE_VERSION : '0.1.0-dev';
const commit = typeof BINNACLE_COMMIT === 'string' ? BINNACLE_COMMIT : 'unknown';

/** What the program is, as `/version` and `kubernetes_build_info` say it. */
export function buildDocument(): Record<string, string> {
  return {
    major: apiRelease.major,
    minor: apiRelease.minor,
    gitVersion: `v${apiRelease.major}.${apiRelease.minor}.${apiRelease.patch}+binnacle-${binnacleVersion}`,
    gitCommit: commit,
    gitTreeState: 'clean',
    buildDate: '1970-01-01T00:00:00Z',
    goVersion: `node${process.versions.node}`,
    compiler: 'node',
    platform: `${process.platform}/${process.arch === 'x64' ? 'amd64' : process.arch}`,
  };
}

/**
 * The answer of `/version` of a server that emulates `emulatedMinor`, and is compatible with the release before that.
 */
export function versionDocument(emulatedMinor = Number(apiRelease.minor)): Record<string, string> {
  const { major, minor, ...build } = buildDocument();
  return {
    major: major!,
    minor: minor!,
    emulationMajor: apiRelease.major,
    emulationMinor: String(emulatedMinor),
    minCompatibilityMajor: apiRelease.major,
    minCompatibilityMinor: String(emulatedMinor - 1),
    ...build,
  };
}
