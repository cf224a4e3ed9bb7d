import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import { field } from '../../../apimachinery/errors/field-path.ts';
import { goQuote } from '../../../apimachinery/values/go-format.ts';
import {
  isDns1035Label,
  isDns1123Subdomain,
  isValidPortNum,
  nameIsPathSegment,
} from '../../../apimachinery/names/names.ts';
import type { APIService, APIServiceSpec } from '../../../generated/types/apiregistration-v1.ts';

const GROUP_PRIORITY_MAX = 20_000;
const VERSION_PRIORITY_MAX = 1000;
const CONDITION_STATUSES = ['True', 'False', 'Unknown'];

export function validateApiService({ metadata, spec }: APIService, errors: FieldErrors): void {
  const path = field('spec');
  const { group = '', version = '' } = spec;
  const name = metadata.name ?? '';
  const required = `${version}.${group}`;
  if (name !== required && nameIsPathSegment(name, false).length === 0) {
    errors.invalid(field('metadata', 'name'), name, `must be \`spec.version+"."+spec.group\`: ${goQuote(required)}`);
  }
  if (group === '') {
    if (version !== 'v1')
      errors.required(path.child('group'), 'only v1 may have an empty group and it better be legacy kube');
  } else {
    for (const problem of isDns1123Subdomain(group)) errors.invalid(path.child('group'), group, problem);
  }
  for (const problem of isDns1035Label(version)) errors.invalid(path.child('version'), version, problem);
  const { groupPriorityMinimum: groupPriority, versionPriority } = spec;
  if (groupPriority <= 0 || groupPriority > GROUP_PRIORITY_MAX) {
    errors.invalid(
      path.child('groupPriorityMinimum'),
      groupPriority,
      `must be positive and less than ${GROUP_PRIORITY_MAX}`,
    );
  }
  if (versionPriority <= 0 || versionPriority > VERSION_PRIORITY_MAX) {
    errors.invalid(
      path.child('versionPriority'),
      versionPriority,
      `must be positive and less than ${VERSION_PRIORITY_MAX}`,
    );
  }
  validateTarget(spec, errors);
}

/** Versions without a service are served here; others by a service that is reached over TLS. */
function validateTarget({ service, caBundle, insecureSkipTLSVerify }: APIServiceSpec, errors: FieldErrors): void {
  const path = field('spec');
  if (service === undefined) {
    if (caBundle)
      errors.invalid(
        path.child('caBundle'),
        `${Buffer.byteLength(caBundle, 'base64')} bytes`,
        'local APIServices may not have a caBundle',
      );
    if (insecureSkipTLSVerify)
      errors.invalid(path.child('insecureSkipTLSVerify'), true, 'local APIServices may not have insecureSkipTLSVerify');
    return;
  }
  if (!service.namespace) errors.required(path.child('service', 'namespace'));
  if (!service.name) errors.required(path.child('service', 'name'));
  const port = service.port ?? 0;
  const problems = isValidPortNum(port);
  if (problems.length > 0)
    errors.invalid(path.child('service', 'port'), port, `port is not valid: ${problems.join(', ')}`);
  if (insecureSkipTLSVerify && caBundle)
    errors.invalid(path.child('insecureSkipTLSVerify'), true, 'may not be true if caBundle is present');
}

export function validateApiServiceStatus({ status }: APIService, errors: FieldErrors): void {
  const path = field('status', 'conditions');
  for (const [i, condition] of (status.conditions ?? []).entries()) {
    if (!CONDITION_STATUSES.includes(condition.status))
      errors.notSupported(path.index(i).child('status'), condition.status, CONDITION_STATUSES);
  }
}
