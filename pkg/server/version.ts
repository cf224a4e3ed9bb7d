/** The release of the API that clients are told: what they decide their requests by. */
export const apiRelease = { major: '1', minor: '25', patch: '0' } as const;

/** Replaced by the build. */
declare const BINNACLE_VERSION: string | undefined;
declare const BINNACLE_COMMIT: string | undefined;

export const binnacleVersion = typeof BINNACLE_VERSION === 'string' ? BINNACLE_VERSION : '0.1.0-dev';
const commit = typeof BINNACLE_COMMIT === 'string' ? BINNACLE_COMMIT : 'unknown';

/** The answer of `/version`. */
export function versionDocument(): Record<string, string> {
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
