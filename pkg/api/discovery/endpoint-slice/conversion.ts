import { setKey } from '../../../apimachinery/json/own-keys.ts';
import type * as v1 from '../../../generated/types/discovery-v1.ts';
import type * as beta from '../../../generated/types/discovery-v1beta1.ts';

/**
 * The beta version has the place of an endpoint as labels in `topology`; v1 has fields for zone and node, and keeps the
 * other labels in `deprecatedTopology`. Nothing is lost in either direction.
 */

const ZONE_LABEL = 'topology.kubernetes.io/zone';
const HOSTNAME_LABEL = 'kubernetes.io/hostname';

export function sliceFromBeta(slice: beta.EndpointSlice): v1.EndpointSlice {
  return { ...slice, endpoints: slice.endpoints === null ? null : slice.endpoints.map(endpointFromBeta) };
}

export function sliceToBeta(slice: v1.EndpointSlice): beta.EndpointSlice {
  return { ...slice, endpoints: slice.endpoints === null ? null : slice.endpoints.map(endpointToBeta) };
}

function endpointFromBeta({ topology, ...rest }: beta.Endpoint): v1.Endpoint {
  const endpoint: v1.Endpoint = rest;
  if (topology === undefined) return endpoint;
  const deprecated: Record<string, string> = {};
  for (const [label, value] of Object.entries(topology)) {
    if (label === ZONE_LABEL) endpoint.zone = value;
    // The node's name was written twice; a different one stays.
    else if (label !== HOSTNAME_LABEL || value !== endpoint.nodeName) setKey(deprecated, label, value);
  }
  if (Object.keys(deprecated).length > 0) endpoint.deprecatedTopology = deprecated;
  return endpoint;
}

function endpointToBeta({ deprecatedTopology, zone, ...rest }: v1.Endpoint): beta.Endpoint {
  const endpoint: beta.Endpoint = rest;
  if (deprecatedTopology === undefined && zone === undefined && endpoint.nodeName === undefined) return endpoint;
  const topology = { ...deprecatedTopology };
  if (zone !== undefined) topology[ZONE_LABEL] = zone;
  if (endpoint.nodeName !== undefined && !topology[HOSTNAME_LABEL]) topology[HOSTNAME_LABEL] = endpoint.nodeName;
  endpoint.topology = topology;
  return endpoint;
}
