import { semanticDeepEqual } from '../../apimachinery/json/deep.ts';
import { goQuote } from '../../apimachinery/values/go-format.ts';
import type { Node } from '../../generated/types/core-v1.ts';
import type { RequestOn } from '../handles.ts';
import { refusal } from '../refusal.ts';
import { forbiddenLabelChanges } from './node-labels.ts';

/** A node may register and update itself, but not in a way that attracts other work. */
export function admitNode(node: string, request: RequestOn<Node>): void {
  const quoted = goQuote(node);
  if (request.name !== node)
    throw refusal(request, `node ${quoted} is not allowed to modify node ${goQuote(request.name)}`);
  if (request.operation === 'CREATE') {
    const now = request.object;
    if (now.spec.configSource !== undefined)
      throw refusal(request, `node ${quoted} is not allowed to create pods with a non-nil configSource`);
    const labels = forbiddenLabelChanges(now.metadata.labels, undefined);
    if (labels.length > 0)
      throw refusal(request, `node ${quoted} is not allowed to set the following labels: ${labels.join(', ')}`);
  }
  if (request.operation === 'UPDATE') {
    const { object: now, oldObject: old } = request;
    if (now.spec.configSource !== undefined && !semanticDeepEqual(now.spec.configSource, old.spec.configSource)) {
      throw refusal(request, `node ${quoted} is not allowed to update configSource to a new non-nil configSource`);
    }
    if (!semanticDeepEqual(now.spec.taints, old.spec.taints))
      throw refusal(request, `node ${quoted} is not allowed to modify taints`);
    // The collector would delete a node whose owner does not exist, and the node could come back without its taints.
    if (!semanticDeepEqual(now.metadata.ownerReferences, old.metadata.ownerReferences))
      throw refusal(request, `node ${quoted} is not allowed to modify ownerReferences`);
    const labels = forbiddenLabelChanges(now.metadata.labels, old.metadata.labels);
    if (labels.length > 0) throw refusal(request, `is not allowed to modify labels: ${labels.join(', ')}`);
  }
}
