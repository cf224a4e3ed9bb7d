import { checkFeatureGate } from '../feature-gates.ts';
import { optionGroup, splitPair } from '../option.ts';
import { switchText } from '../value-types.ts';

/** Minor releases of this major that a server can report. */
const emulatedReleases = ['1.33', '1.34', '1.35', '1.36'];

/** Versions that are served and stored, and features. */
export const versioningOptions = optionGroup('Versions and features', [
  {
    name: 'runtime-config',
    type: 'mapStringString',
    check: runtimeConfigPair,
    help: 'Versions served or not: group/version=true|false, version=... for the core group, group/version/resource=..., api/all=..., api/legacy=... (deprecated; the core group). Versions of alpha features of old releases, such as batch/v2alpha1, are off by default',
  },
  {
    name: 'storage-versions',
    type: 'stringSlice',
    check: storageVersion,
    help: 'Version in which the objects of a group are stored, group/version; group1=group2/version stores those of group1 in a version of group2. By default each kind has a version in which it is stored',
  },
  {
    name: 'emulated-version',
    type: 'stringSlice',
    check: emulatedVersion,
    help: `Release that the server reports: ${emulatedReleases.join(', ')}, or kube= and one of these. Versions and kinds stay those of its own release`,
  },
  {
    name: 'feature-gates',
    type: 'mapStringBool',
    check: checkFeatureGate,
    help: 'Features turned on or off, Name=true or Name=false; they are listed at the end',
  },
]);

function emulatedVersion(item: string): string | undefined {
  const [, component = 'kube', release = ''] = /^(?:([^=]*)=)?(.*)$/.exec(item) ?? [];
  return component === 'kube' && emulatedReleases.includes(release)
    ? undefined
    : `must be one of ${emulatedReleases.join(', ')}, with kube= before it or not`;
}

function runtimeConfigPair(pair: string): string | undefined {
  const [key, value] = splitPair(pair);
  return key !== '' && ['', 'true', 'false'].includes(switchText(value))
    ? undefined
    : 'must be group/version=true or group/version=false';
}

function storageVersion(item: string): string | undefined {
  return /^([a-z0-9.-]*=)?([a-z0-9.-]+\/)?v[a-z0-9]+$/.test(item)
    ? undefined
    : 'must be group/version or group1=group2/version';
}
