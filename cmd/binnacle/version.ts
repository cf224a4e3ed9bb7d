import { apiRelease, binnacleVersion } from '../../pkg/server/system/version.ts';

/** Prints the version of the program and the release of the API it serves. Exit status 2: there are arguments. */
export function version([unexpected]: readonly string[] = []): Promise<number> {
  if (unexpected === '--help' || unexpected === '-h') {
    process.stdout.write('Usage: binnacle version\n');
    return Promise.resolve(0);
  }
  if (unexpected !== undefined) {
    process.stderr.write(`binnacle version: unexpected argument ${JSON.stringify(unexpected)}\n`);
    return Promise.resolve(2);
  }
  process.stdout.write(`binnacle ${binnacleVersion} (Kubernetes API ${apiRelease.major}.${apiRelease.minor})\n`);
  return Promise.resolve(0);
}
