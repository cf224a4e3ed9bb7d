import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../../apimachinery/errors/field-path.ts';
import { isDns1123Subdomain } from '../../../apimachinery/names/names.ts';
import type { PodSpec, WindowsSecurityContextOptions } from '../../../generated/types/core-v1.ts';
import type { ClusterPolicy } from '../../resource-definition.ts';
import { reportProblems } from '../../validation/names.ts';
import { eachContainer } from './each-container.ts';

const CREDENTIAL_SPEC_KIB_MAX = 64;
const DOMAIN_LENGTH_MAX = 256;
const USER_LENGTH_MAX = 104;
const NETBIOS_DOMAIN = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/;
const DNS_LABEL = '[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?';
const DNS_DOMAIN = new RegExp(`^${DNS_LABEL}(?:\\.${DNS_LABEL})*$`);
// eslint-disable-next-line no-control-regex
const CONTROL = /[\x00-\x1f\x7f]/;

/** The user and process settings of a Windows container. */
export function validateWindowsOptions(
  options: WindowsSecurityContextOptions | undefined,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (options === undefined) return;
  const { gmsaCredentialSpecName, gmsaCredentialSpec, runAsUserName } = options;
  if (gmsaCredentialSpecName !== undefined) {
    reportProblems(
      isDns1123Subdomain(gmsaCredentialSpecName),
      gmsaCredentialSpecName,
      path.child('gmsaCredentialSpecName'),
      errors,
    );
  }
  if (gmsaCredentialSpec !== undefined) {
    const at = path.child('gmsaCredentialSpec');
    if (gmsaCredentialSpec === '')
      errors.invalid(at, gmsaCredentialSpec, 'gmsaCredentialSpec cannot be an empty string');
    else if (Buffer.byteLength(gmsaCredentialSpec) > CREDENTIAL_SPEC_KIB_MAX * 1024) {
      errors.invalid(at, gmsaCredentialSpec, `gmsaCredentialSpec size must be under ${CREDENTIAL_SPEC_KIB_MAX} KiB`);
    }
  }
  if (runAsUserName !== undefined)
    reportProblems(userNameProblems(runAsUserName), runAsUserName, path.child('runAsUserName'), errors);
}

/** `user` or `DOMAIN\user` */
function userNameProblems(name: string): string[] {
  if (name === '') return ['runAsUserName cannot be an empty string'];
  if (CONTROL.test(name)) return ['runAsUserName cannot contain control characters'];
  const parts = name.split('\\');
  if (parts.length > 2) return ['runAsUserName cannot contain more than one backslash'];
  const problems: string[] = [];
  const user = parts.at(-1) ?? '';
  const domain = parts.length === 2 ? parts[0] : undefined;
  if (domain !== undefined && domain.length >= DOMAIN_LENGTH_MAX)
    problems.push(`runAsUserName's Domain length must be under ${DOMAIN_LENGTH_MAX} characters`);
  if (domain !== undefined && !NETBIOS_DOMAIN.test(domain) && !DNS_DOMAIN.test(domain)) {
    problems.push("runAsUserName's Domain doesn't match the NetBios nor the DNS format");
  }
  if (user === '') problems.push("runAsUserName's User cannot be empty");
  else if (user.length > USER_LENGTH_MAX)
    problems.push(`runAsUserName's User length must not be longer than ${USER_LENGTH_MAX} characters`);
  if (/^[. ]+$/.test(user)) problems.push("runAsUserName's User cannot contain only periods or spaces");
  if (/["/\\:;|=,+*?<>@[\]]/.test(user))
    problems.push('runAsUserName\'s User cannot contain the following characters: "/\\:;|=,+*?<>@[]');
  return problems;
}

/** Processes on the host itself: all containers of a pod or none, and only on the host's network. */
export function validateHostProcess(spec: PodSpec, policy: ClusterPolicy, path: FieldPath, errors: FieldErrors): void {
  const ofPod = spec.securityContext?.windowsOptions?.hostProcess;
  let containers = 0;
  let hostProcesses = 0;
  for (const [container, at] of eachContainer(spec, path)) {
    const own = container.securityContext?.windowsOptions?.hostProcess;
    containers++;
    if (own ?? ofPod) hostProcesses++;
    if (ofPod !== undefined && own !== undefined && ofPod !== own) {
      const detail = `pod hostProcess value must be identical if both are specified, was ${ofPod}`;
      errors.invalid(at.child('securityContext', 'windowsOptions', 'hostProcess'), own, detail);
    }
  }
  if (hostProcesses === 0) return;
  if (hostProcesses !== containers)
    errors.invalid(
      path,
      '',
      'If pod contains any hostProcess containers then all containers must be HostProcess containers',
    );
  if (!spec.hostNetwork)
    errors.invalid(
      path.child('hostNetwork'),
      false,
      'hostNetwork must be true if pod contains any hostProcess containers',
    );
  if (!policy.allowPrivileged) errors.forbidden(path, 'hostProcess containers are disallowed by cluster policy');
}
