import { semanticDeepEqual } from '../../../apimachinery/json/deep.ts';
import { isDns1123Subdomain } from '../../../apimachinery/names/names.ts';
import { getKey } from '../../../apimachinery/json/own-keys.ts';
import type { Endpoint, EndpointSlice } from '../../../generated/types/discovery-v1.ts';
import type { StrategyContext } from '../../resource-definition.ts';

const HOSTNAME_LABEL = 'kubernetes.io/hostname';
const BETA = 'discovery.k8s.io/v1beta1';

export function prepareForCreate(slice: EndpointSlice, context: StrategyContext): void {
  dropDeprecatedTopology(slice, undefined, context);
}

export function prepareForUpdate(slice: EndpointSlice, old: EndpointSlice, context: StrategyContext): void {
  // Labels from the beta version stay until a client changes the endpoints.
  if (!semanticDeepEqual(slice.endpoints, old.endpoints)) dropDeprecatedTopology(slice, old, context);
}

/**
 * Topology labels cannot be written through v1. A node that only they named is moved into its field, so that a client
 * which changes other parts of the slice does not lose it.
 */
function dropDeprecatedTopology(
  slice: EndpointSlice,
  old: EndpointSlice | undefined,
  { requestVersion }: StrategyContext,
): void {
  if (requestVersion === BETA) return;
  const known = new Set((old?.endpoints ?? []).map(nodeLabel));
  for (const endpoint of slice.endpoints ?? []) {
    const node = nodeLabel(endpoint);
    if (
      endpoint.nodeName === undefined &&
      node !== undefined &&
      known.has(node) &&
      isDns1123Subdomain(node).length === 0
    )
      endpoint.nodeName = node;
    delete endpoint.deprecatedTopology;
  }
}

function nodeLabel(endpoint: Endpoint): string | undefined {
  return getKey<string>(endpoint.deprecatedTopology, HOSTNAME_LABEL);
}
