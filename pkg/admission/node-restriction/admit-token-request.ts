import { pods } from '../../api/core/tokens.ts';
import { notFound } from '../../apimachinery/errors/status-error.ts';
import type { TokenRequest } from '../../generated/types/authentication-v1.ts';
import type { AdmissionRequest } from '../admission.ts';
import type { ObjectLookup } from '../object-lookup.ts';
import { refusal } from '../refusal.ts';

/** A node gets tokens of accounts only for pods that run on it, and no longer than they live. */
export async function admitTokenRequest(lookup: ObjectLookup, node: string, request: AdmissionRequest): Promise<void> {
  if (request.operation !== 'CREATE' || request.subresource !== 'token') return;
  // The body of the path is no ServiceAccount.
  const bound = (request.object as TokenRequest).spec.boundObjectRef;
  if (!bound || bound.apiVersion !== 'v1' || bound.kind !== 'Pod' || !bound.name)
    throw refusal(request, 'node requested token not bound to a pod');
  if (!bound.uid) throw refusal(request, 'node requested token with a pod binding without a uid');
  const pod = await lookup.get(pods, request.namespace, bound.name);
  if (pod === undefined) throw notFound({ group: '', resource: 'pods' }, bound.name);
  if (bound.uid !== pod.metadata.uid) {
    throw refusal(
      request,
      `the UID in the bound object reference (${bound.uid}) does not match the UID in record. The object might have been deleted and then recreated`,
    );
  }
  if (pod.spec.nodeName !== node)
    throw refusal(request, 'node requested token bound to a pod scheduled on a different node');
}
