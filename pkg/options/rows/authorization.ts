import { oneOf } from '../checks.ts';
import { optionGroup } from '../option.ts';

/** Names of the authorizers, as `--authorization-mode` lists them. */
const authorizationModes = ['AlwaysAllow', 'AlwaysDeny', 'ABAC', 'Webhook', 'RBAC', 'Node'] as const;
export type AuthorizationMode = (typeof authorizationModes)[number];

/** Options of authorization. */
export const authorizationOptions = optionGroup('Authorization', [
  {
    name: 'authorization-mode',
    type: 'stringSlice',
    default: 'AlwaysAllow',
    defaults: { up: 'Node,RBAC' },
    check: oneOf(...authorizationModes),
    help: `Authorizers in the order in which they are asked: ${authorizationModes.join(', ')}`,
  },
  {
    name: 'authorization-policy-file',
    type: 'string',
    file: true,
    help: 'Policy of the mode ABAC, one JSON object a line',
  },
  {
    name: 'authorization-webhook-config-file',
    type: 'string',
    file: true,
    help: 'Cluster-config file of the service that the mode Webhook asks',
  },
  {
    name: 'authorization-webhook-cache-authorized-ttl',
    type: 'duration',
    default: '5m0s',
    help: 'How long its answers that allow are remembered',
  },
  {
    name: 'authorization-webhook-cache-unauthorized-ttl',
    type: 'duration',
    default: '30s',
    help: 'How long its other answers are remembered',
  },
  {
    name: 'authorization-webhook-version',
    type: 'string',
    default: 'v1beta1',
    check: oneOf('v1', 'v1beta1'),
    help: 'Version of the SubjectAccessReview sent to that service',
  },
]);
