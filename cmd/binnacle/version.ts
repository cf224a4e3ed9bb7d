import { apiRelease, binnacleVersion } from '../../pkg/server/version.ts';

/** Prints the version of the program and the release of the API it serves. */
export function version(): Promise<number> {
  process.stdout.write(`binnacle ${binnacleVersion} (Kubernetes API ${apiRelease.major}.${apiRelease.minor})\n`);
  return Promise.resolve(0);
}
