import { validateDomainPrefixedPath } from '../../../apimachinery/names/domain-names.ts';
import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import { field, type FieldPath } from '../../../apimachinery/errors/field-path.ts';
import { nameIsDns1123Label, nameIsDns1123Subdomain } from '../../../apimachinery/names/names.ts';
import { validateImmutableField } from '../../../apimachinery/meta/object-meta-validation.ts';
import type { IngressClass, IngressClassParametersReference } from '../../../generated/types/networking-v1.ts';
import { defineResource, type TableDefinition } from '../../resource-definition.ts';
import { age } from '../../table-cells.ts';
import { AGE_COLUMN, NAME_COLUMN } from '../../table-columns.ts';
import { validateObjectReference } from '../object-reference-validation.ts';

const CONTROLLER_BYTES_MAX = 250;

/** Parameters are cluster-wide by default; in both versions. */
function setDefaults(ingressClass: IngressClass): void {
  if (ingressClass.spec.parameters !== undefined) ingressClass.spec.parameters.scope ??= 'Cluster';
}

function validateIngressClass(ingressClass: IngressClass, errors: FieldErrors): void {
  const path = field('spec');
  const controller = ingressClass.spec.controller ?? '';
  if (Buffer.byteLength(controller) > CONTROLLER_BYTES_MAX)
    errors.tooLong(path.child('controller'), controller, CONTROLLER_BYTES_MAX);
  validateDomainPrefixedPath(path.child('controller'), controller, errors);
  if (ingressClass.spec.parameters !== undefined)
    validateParameters(ingressClass.spec.parameters, path.child('parameters'), errors);
}

function validateParameters(parameters: IngressClassParametersReference, path: FieldPath, errors: FieldErrors): void {
  validateObjectReference(parameters, path, errors);
  const { scope, namespace } = parameters;
  switch (scope) {
    case null:
    case undefined:
      return errors.required(path.child('scope'));
    case 'Namespace':
      if (namespace === undefined)
        return errors.required(path.child('namespace'), "`parameters.scope` is set to 'Namespace'");
      for (const problem of nameIsDns1123Label(namespace, false))
        errors.invalid(path.child('namespace'), namespace, problem);
      return;
    case 'Cluster':
      if (namespace !== undefined) errors.forbidden(path.child('namespace'), "`parameters.scope` is set to 'Cluster'");
      return;
    default:
      errors.notSupported(path.child('scope'), scope, ['Cluster', 'Namespace']);
  }
}

function validateIngressClassUpdate(ingressClass: IngressClass, old: IngressClass, errors: FieldErrors): void {
  validateImmutableField(ingressClass.spec.controller, old.spec.controller, field('spec', 'controller'), errors);
  validateIngressClass(ingressClass, errors);
}

const table: TableDefinition<IngressClass> = {
  columns: [
    NAME_COLUMN,
    { name: 'Controller', type: 'string', description: 'Controller that serves Ingresses of this class.' },
    { name: 'Parameters', type: 'string', description: 'Object that holds further settings for the controller.' },
    AGE_COLUMN,
  ],
  row: ({ metadata, spec }, nowMs) => ({
    cells: [
      metadata.name ?? '',
      spec.controller ?? '',
      parametersText(spec.parameters),
      age(metadata.creationTimestamp, nowMs),
    ],
  }),
};

function parametersText(parameters: IngressClassParametersReference | undefined): string {
  if (parameters === undefined) return '<none>';
  const group = parameters.apiGroup === undefined ? '' : `.${parameters.apiGroup}`;
  return `${parameters.kind}${group}/${parameters.name}`;
}

/** Names the controller that serves the Ingresses of a class. */
export const ingressClass = defineResource<IngressClass>({
  group: 'networking.k8s.io',
  resource: 'ingressclasses',
  kind: 'IngressClass',
  singular: 'ingressclass',
  namespaced: false,
  hub: 'networking.k8s.io/v1',
  storageVersion: 'networking.k8s.io/v1',
  storagePath: 'ingressclasses',
  versions: [
    { groupVersion: 'networking.k8s.io/v1', message: 'networking/v1.IngressClass', setDefaults },
    {
      groupVersion: 'networking.k8s.io/v1beta1',
      message: 'networking/v1beta1.IngressClass',
      setDefaults,
      deprecation: { deprecatedIn: '1.19', removedIn: '1.22', replacement: 'networking.k8s.io/v1' },
    },
  ],
  validateName: nameIsDns1123Subdomain,
  generationOf: (object) => object.spec,
  validate: validateIngressClass,
  validateUpdate: validateIngressClassUpdate,
  table,
});
