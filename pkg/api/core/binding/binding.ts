import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import { field } from '../../../apimachinery/errors/field-path.ts';
import { nameIsDns1123Subdomain } from '../../../apimachinery/names/names.ts';
import type { Binding } from '../../../generated/types/core-v1.ts';
import { defineResource } from '../../resource-definition.ts';

/**
 * Places a pod on a node. A binding is never stored: it changes the pod of its name, as the pod's own subresource does.
 */
export const binding = defineResource<Binding>({
  group: '',
  resource: 'bindings',
  kind: 'Binding',
  singular: 'binding',
  namespaced: true,
  verbs: ['create'],
  virtual: true,
  hub: 'v1',
  storageVersion: 'v1',
  storagePath: '',
  versions: [{ groupVersion: 'v1', message: 'core/v1.Binding' }],
  validateName: nameIsDns1123Subdomain,
  validate: validateBinding,
});

/** The target is a node. */
export function validateBinding({ target }: Binding, errors: FieldErrors): void {
  if (target.kind && target.kind !== 'Node')
    errors.notSupported(field('target', 'kind'), target.kind, ['Node', '<empty>']);
  if (!target.name) errors.required(field('target', 'name'));
}
