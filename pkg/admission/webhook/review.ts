import { randomUUID } from 'node:crypto';
import { namespaces } from '../../api/core/tokens.ts';
import { groupOf, versionOf } from '../../api/scheme.ts';
import type { UserInfo } from '../../api/resource-definition.ts';
import { stringifyJson } from '../../apimachinery/json/json.ts';
import { isFor } from '../handles.ts';
import type { ReviewedObject } from './reviewed-object.ts';
import type { ReviewVersion } from './webhook.ts';

/** A review for a webhook: the id that its answer must repeat, and the document as text. */
export interface Review {
  readonly uid: string;
  readonly text: string;
}

/**
 * The AdmissionReview about a request, its objects in the version `groupVersion`. The objects' text is used unchanged:
 * many webhooks may be called for one.
 */
export function reviewOf(reviewed: ReviewedObject, groupVersion: string, version: ReviewVersion): Review {
  const { request } = reviewed;
  const { definition, subresource, operation, name, user, dryRun, options } = request;
  const uid = randomUUID();
  const resourceIn = (where: string): object => ({
    group: groupOf(where),
    version: versionOf(where),
    resource: definition.resource,
  });
  const asked = stringifyJson({
    uid,
    kind: reviewed.kindIn(groupVersion),
    resource: resourceIn(groupVersion),
    ...given({ subResource: subresource }),
    requestKind: reviewed.kindIn(request.groupVersion),
    requestResource: resourceIn(request.groupVersion),
    ...given({
      requestSubResource: subresource,
      name,
      namespace: isFor(request, namespaces) ? name : request.namespace,
    }),
    operation,
    userInfo: userOf(user),
  });
  const objects = `"object":${reviewed.text(groupVersion)},"oldObject":${reviewed.oldText(groupVersion)},"dryRun":${dryRun},"options":${stringifyJson(options ?? null)}`;
  return {
    uid,
    text: `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/${version}","request":${asked.slice(0, -1)},${objects}}}`,
  };
}

function userOf({ name, uid = '', groups, extra = {} }: UserInfo): object {
  return {
    ...given({ username: name, uid }),
    ...(groups.length === 0 ? {} : { groups }),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
}

function given(fields: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''));
}
