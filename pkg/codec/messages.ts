import { generatedMessages, type GeneratedMessage } from '../generated/kinds.ts';

const byName = new Map(generatedMessages.map((m) => [m.message, m]));
const byKind = new Map(generatedMessages.filter((m) => m.isKind).map((m) => [`${m.group}/${m.version}/${m.kind}`, m]));
const groupVersions = new Set(generatedMessages.filter((m) => m.isKind).map((m) => `${m.group}/${m.version}`));

/** Kinds of `meta.k8s.io` that clients and servers write with `apiVersion: v1` for objects of any group. */
const UNVERSIONED = new Set(['Status', 'APIVersions', 'APIGroupList', 'APIGroup', 'APIResourceList', 'List']);
/** Kinds of `meta.k8s.io` that every group version declares. */
const IN_EVERY_VERSION = new Set([
  'WatchEvent',
  'ListOptions',
  'GetOptions',
  'DeleteOptions',
  'CreateOptions',
  'UpdateOptions',
  'PatchOptions',
]);
/** Kinds of `meta.k8s.io` that had a version before v1, of the same shape. */
const ONCE_BETA = new Set(['Table', 'TableOptions', 'PartialObjectMetadata', 'PartialObjectMetadataList']);

/** Codec functions of a message, `apps/v1.Deployment`; asserts that it exists. */
export function messageOf(name: string): GeneratedMessage {
  const found = byName.get(name);
  if (found === undefined) throw new Error(`no message ${name}`);
  return found;
}

/** The message of a kind, by the `apiVersion` and `kind` of its JSON form. */
export function messageOfKind(apiVersion: string, kind: string): GeneratedMessage | undefined {
  const groupVersion = apiVersion.includes('/') ? apiVersion : `/${apiVersion}`;
  return (
    byKind.get(`${groupVersion}/${kind}`) ??
    (isMetaKind(groupVersion, kind) ? byKind.get(`meta.k8s.io/v1/${kind}`) : undefined)
  );
}

/** A kind of `meta.k8s.io` under the name of another group version. */
function isMetaKind(groupVersion: string, kind: string): boolean {
  if (UNVERSIONED.has(kind)) return groupVersion === '/v1';
  if (IN_EVERY_VERSION.has(kind)) return groupVersions.has(groupVersion);
  return ONCE_BETA.has(kind) && groupVersion === 'meta.k8s.io/v1beta1';
}
