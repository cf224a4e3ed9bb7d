import { persistentVolumeClaims, pods } from '../../../pkg/api/core/tokens.ts';
import type { PersistentVolumeClaimStatus, Pod } from '../../../pkg/generated/types/core-v1.ts';
import type { ControllerHost } from './controller-suite.ts';

interface Name {
  readonly namespace: string;
  readonly name: string;
}

/** A pod of one container, without the token of an account. */
export function createPod({ client }: ControllerHost, metadata: Name, spec: Partial<Pod['spec']>): Promise<Pod> {
  return client.create(pods, {
    metadata,
    spec: {
      containers: [{ name: 'main', image: 'app:1', resources: {} }],
      automountServiceAccountToken: false,
      ...spec,
    },
    status: {},
  });
}

/** As the binder or a driver writes it. */
export function setClaimStatus(
  { client }: ControllerHost,
  name: Name,
  status: PersistentVolumeClaimStatus,
): Promise<unknown> {
  return client.patch(persistentVolumeClaims, name, 'merge', { status }, { subresource: 'status' });
}
