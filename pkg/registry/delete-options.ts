import { FieldErrors } from '../apimachinery/errors/field-errors.ts';
import { field } from '../apimachinery/errors/field-path.ts';
import { invalid } from '../apimachinery/errors/status-error.ts';

/** The options of one delete, from query and body (`DeleteOptions` of meta/v1). */
export interface DeleteOptions {
  readonly gracePeriodSeconds?: number;
  readonly orphanDependents?: boolean;
  readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground';
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly dryRun?: readonly string[];
}

const policies = ['Foreground', 'Background', 'Orphan'] as const;

/** The fields of a decoded `DeleteOptions`, unchecked. */
export interface DeleteOptionsBody {
  gracePeriodSeconds?: number;
  orphanDependents?: boolean;
  propagationPolicy?: string;
  preconditions?: { uid?: string; resourceVersion?: string };
  dryRun?: string[];
}

/** Checks a decoded body; throws 422. A negative grace period counts as the least one, 1 second. */
export function checkDeleteOptions(body: DeleteOptionsBody): DeleteOptions {
  const errors = new FieldErrors();
  if (body.orphanDependents !== undefined && body.propagationPolicy !== undefined) {
    errors.invalid(
      field('propagationPolicy'),
      body.propagationPolicy,
      'orphanDependents and deletionPropagation cannot be both set',
    );
  }
  if (body.propagationPolicy !== undefined && !(policies as readonly string[]).includes(body.propagationPolicy)) {
    errors.notSupported(field('propagationPolicy'), body.propagationPolicy, [...policies, 'nil']);
  }
  checkDryRun(body.dryRun, errors);
  if (errors.length > 0) throw invalid({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, '', errors);
  const { gracePeriodSeconds, ...rest } = body;
  return {
    ...(rest as Omit<DeleteOptions, 'gracePeriodSeconds'>),
    ...(gracePeriodSeconds === undefined
      ? {}
      : { gracePeriodSeconds: gracePeriodSeconds < 0 ? 1 : gracePeriodSeconds }),
  };
}

/** `All` is the only dry run. */
export function checkDryRun(dryRun: readonly string[] | undefined, errors: FieldErrors): void {
  if (dryRun === undefined || dryRun.length === 0) return;
  if (dryRun.some((value) => value !== 'All') || new Set(dryRun).size > 1)
    errors.notSupported(field('dryRun'), dryRun, ['All']);
}
