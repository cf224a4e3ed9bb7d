import type {
  MutatingAdmissionPolicyBinding,
  ParamKind,
  ValidatingAdmissionPolicyBinding,
} from '../../generated/types/admissionregistration-v1.ts';
import type { TableDefinition } from '../resource-definition.ts';
import { age } from '../table-cells.ts';
import { AGE_COLUMN, NAME_COLUMN } from '../table-columns.ts';

export const PARAM_KIND_COLUMN = {
  name: 'ParamKind',
  type: 'string',
  description: 'Kind of the objects that hold parameters.',
} as const;

/** `apps/v1/Deployment`; `<unset>` for policies without parameters. */
export function paramKindText(paramKind: ParamKind | undefined): string {
  return paramKind === undefined ? '<unset>' : `${paramKind.apiVersion ?? ''}/${paramKind.kind ?? ''}`;
}

/** The printed form of both kinds of binding. */
export const policyBindingTable: TableDefinition<ValidatingAdmissionPolicyBinding | MutatingAdmissionPolicyBinding> = {
  columns: [
    NAME_COLUMN,
    { name: 'PolicyName', type: 'string', description: 'Policy that is put into effect.' },
    { name: 'ParamRef', type: 'string', description: 'Object that holds the parameters.' },
    AGE_COLUMN,
  ],
  row: ({ metadata, spec }, nowMs) => ({
    cells: [
      metadata.name ?? '',
      spec.policyName ?? '',
      paramRefText(spec.paramRef),
      age(metadata.creationTimestamp, nowMs),
    ],
  }),
};

function paramRefText(paramRef: ValidatingAdmissionPolicyBinding['spec']['paramRef']): string {
  if (paramRef === undefined) return '<unset>';
  const name = paramRef.name || '*';
  return paramRef.namespace ? `${paramRef.namespace}/${name}` : name;
}
