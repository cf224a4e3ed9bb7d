import type { Node, ObjectReference } from '../../generated/types/core-v1.ts';

/** What events about a node name: no state of it. */
export function nodeReference({ metadata: { name, uid } }: Node): ObjectReference {
  return { kind: 'Node', name, uid, apiVersion: 'v1' };
}
