import { nameIsDns1123Subdomain } from '../../../apimachinery/names/names.ts';
import type { ApiObject } from '../../../apimachinery/meta/object.ts';
import { replicationController } from '../../core/replication-controller/replication-controller.ts';
import { defineResource, type SubresourceDefinition } from '../../resource-definition.ts';

/**
 * The replication controllers of the core group, with nothing but a Scale: old autoscalers reach every scalable kind
 * through `extensions`.
 */
export const replicationControllerDummy = defineResource<ApiObject>({
  group: 'extensions',
  resource: 'replicationcontrollers',
  kind: 'ReplicationControllerDummy',
  singular: 'replicationcontroller',
  namespaced: true,
  verbs: [],
  virtual: true,
  hub: 'extensions/v1beta1',
  storageVersion: 'extensions/v1beta1',
  storagePath: '',
  versions: [{ groupVersion: 'extensions/v1beta1', message: 'extensions/v1beta1.ReplicationControllerDummy' }],
  subresources: scaleAlone(),
  validateName: nameIsDns1123Subdomain,
});

function scaleAlone(): SubresourceDefinition<ApiObject>[] {
  const { name, verbs, scale } = replicationController.subresources!.find((s) => s.scale !== undefined)!;
  return [{ name, verbs, scale: scale! }];
}
