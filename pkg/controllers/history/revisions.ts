import { controllerRevisions } from '../../api/apps/tokens.ts';
import { isAlreadyExists } from '../../apimachinery/errors/status-error.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import type { Client, ObjectName } from '../../client/rest/client.ts';
import type { ControllerRevision } from '../../generated/types/apps-v1.ts';
import type { PodTemplateSpec } from '../../generated/types/core-v1.ts';
import type { OwnerReference } from '../../generated/types/meta-v1.ts';
import { isSameData, revisionData } from './revision-data.ts';
import { revisionHash } from './revision-hash.ts';

/** What the owner's name may take of the name of a revision. */
const PREFIX_MAX = 223;

/** What a revision is made of. */
export interface NewRevision {
  readonly owner: ApiObject;
  readonly reference: OwnerReference;
  readonly template: PodTemplateSpec;
  readonly revision: number;
  /** Label that gets the hash. */
  readonly hashLabel: string;
  readonly collisionCount: number | undefined;
}

export function newRevision(given: NewRevision): ControllerRevision {
  const { owner, reference, template, revision, hashLabel, collisionCount } = given;
  const data = revisionData(template);
  const hash = revisionHash(data, collisionCount);
  const { namespace, name = '', annotations } = owner.metadata;
  return {
    metadata: {
      name: `${name.slice(0, PREFIX_MAX)}-${hash}`,
      namespace,
      labels: { ...template.metadata?.labels, [hashLabel]: hash },
      ...(annotations === undefined ? {} : { annotations: { ...annotations } }),
      ownerReferences: [reference],
    },
    data,
    revision,
  };
}

/** Oldest first. */
export function sortRevisions(revisions: readonly ControllerRevision[]): ControllerRevision[] {
  return revisions.toSorted(
    (a, b) =>
      a.revision - b.revision ||
      Date.parse(a.metadata.creationTimestamp ?? '') - Date.parse(b.metadata.creationTimestamp ?? '') ||
      (a.metadata.name! < b.metadata.name! ? -1 : 1),
  );
}

/** Creates the revision, or finds the one of the same name and data; undefined: the name has other data. */
export async function createRevision(
  client: Client,
  revision: ControllerRevision,
): Promise<ControllerRevision | undefined> {
  try {
    return await client.create(controllerRevisions, revision);
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    const found = await client.get(controllerRevisions, revision.metadata as ObjectName);
    return isSameData(found.data, revision.data) ? found : undefined;
  }
}

/** The oldest revisions beyond the limit, of those that nothing uses any more. */
export function beyondLimit(unused: readonly ControllerRevision[], limit: number): readonly ControllerRevision[] {
  return sortRevisions(unused).slice(0, Math.max(0, unused.length - limit));
}
