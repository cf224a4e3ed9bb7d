import { getKey } from '../../../apimachinery/json/own-keys.ts';
import { goQuote } from '../../../apimachinery/values/go-format.ts';
import type { SELinuxOptions, SecurityContext } from '../../../generated/types/core-v1.ts';
import { containersText, containersWhere, plural, quoted, settersText, sorted, type Check } from './check.ts';

const APP_ARMOR_PREFIX = 'container.apparmor.security.beta.kubernetes.io/';
const CAPABILITIES = new Set([
  'AUDIT_WRITE',
  'CHOWN',
  'DAC_OVERRIDE',
  'FOWNER',
  'FSETID',
  'KILL',
  'MKNOD',
  'NET_BIND_SERVICE',
  'SETFCAP',
  'SETGID',
  'SETPCAP',
  'SETUID',
  'SYS_CHROOT',
]);
const SELINUX_TYPES = new Set(['', 'container_t', 'container_init_t', 'container_kvm_t']);
const SYSCTLS = new Set([
  'kernel.shm_rmid_forced',
  'net.ipv4.ip_local_port_range',
  'net.ipv4.tcp_syncookies',
  'net.ipv4.ping_group_range',
  'net.ipv4.ip_unprivileged_port_start',
]);

/** AppArmor: the runtime's profile or one of the node, not none. */
export const appArmorProfile: Check = (metadata) => {
  const bad = Object.entries(metadata.annotations ?? {})
    .filter(
      ([key, value]) =>
        key.startsWith(APP_ARMOR_PREFIX) &&
        value !== '' &&
        value !== 'runtime/default' &&
        !value.startsWith('localhost/'),
    )
    .map(([key, value]) => `${key}=${goQuote(value)}`)
    .sort();
  return bad.length === 0
    ? undefined
    : { reason: plural(bad.length, 'forbidden AppArmor profile'), detail: bad.join(', ') };
};

/** The same rule for the fields that later replaced the annotations. */
export const appArmorProfileField: Check = (_metadata, spec) => {
  const types = new Set<string>();
  const isBad = ({ appArmorProfile: profile }: Pick<SecurityContext, 'appArmorProfile'>): boolean => {
    if (profile === undefined || profile.type === 'RuntimeDefault' || profile.type === 'Localhost') return false;
    types.add(profile.type ?? '');
    return true;
  };
  const setters = settersText(
    isBad(spec.securityContext ?? {}),
    containersWhere(spec, ({ securityContext }) => isBad(securityContext ?? {})),
  );
  return setters === ''
    ? undefined
    : {
        reason: plural(types.size, 'forbidden AppArmor profile'),
        detail: `${setters} must not set AppArmor profile type to ${quoted(sorted(types))}`,
      };
};

export const capabilities: Check = (_metadata, spec) => {
  const forbidden = new Set<string>();
  const names = containersWhere(spec, ({ securityContext }) => {
    const bad = (securityContext?.capabilities?.add ?? []).filter((capability) => !CAPABILITIES.has(capability));
    for (const capability of bad) forbidden.add(capability);
    return bad.length > 0;
  });
  if (names.length === 0) return undefined;
  return {
    reason: 'non-default capabilities',
    detail: `${containersText(names)} must not include ${quoted(sorted(forbidden))} in securityContext.capabilities.add`,
  };
};

export const hostNamespaces: Check = (_metadata, { hostNetwork, hostPID, hostIPC }) => {
  const shared = Object.entries({ hostNetwork, hostPID, hostIPC })
    .filter(([, value]) => value === true)
    .map(([name]) => `${name}=true`);
  return shared.length === 0 ? undefined : { reason: 'host namespaces', detail: shared.join(', ') };
};

export const hostPathVolumes: Check = (_metadata, spec) => {
  const names = (spec.volumes ?? []).filter(({ hostPath }) => hostPath !== undefined).map(({ name }) => name);
  return names.length === 0
    ? undefined
    : { reason: 'hostPath volumes', detail: `${plural(names.length, 'volume')} ${quoted(names)}` };
};

export const hostPorts: Check = (_metadata, spec) => {
  const ports = new Set<string>();
  const names = containersWhere(spec, (container) => {
    const used = (container.ports ?? [])
      .filter(({ hostPort }) => Boolean(hostPort))
      .map(({ hostPort }) => String(hostPort));
    for (const port of used) ports.add(port);
    return used.length > 0;
  });
  if (names.length === 0) return undefined;
  return {
    reason: 'hostPort',
    detail: `${containersText(names)} ${plural(names.length, 'uses', 'use')} ${plural(ports.size, 'hostPort')} ${sorted(ports).join(', ')}`,
  };
};

export const privileged: Check = (_metadata, spec) => {
  const names = containersWhere(spec, ({ securityContext }) => securityContext?.privileged === true);
  return names.length === 0
    ? undefined
    : { reason: 'privileged', detail: `${containersText(names)} must not set securityContext.privileged=true` };
};

export const procMount: Check = (_metadata, spec) => {
  const types = new Set<string>();
  const names = containersWhere(spec, ({ securityContext }) => {
    const type = securityContext?.procMount;
    if (type === undefined || type === 'Default') return false;
    types.add(type);
    return true;
  });
  return names.length === 0
    ? undefined
    : {
        reason: 'procMount',
        detail: `${containersText(names)} must not set securityContext.procMount to ${quoted(sorted(types))}`,
      };
};

export const seLinuxOptions: Check = (_metadata, spec) => {
  const types = new Set<string>();
  const others = new Set<string>();
  const isBad = (options: SELinuxOptions | undefined): boolean => {
    const { type = '', user, role } = options ?? {};
    if (!SELINUX_TYPES.has(type)) types.add(type);
    if (user) others.add('user');
    if (role) others.add('role');
    return !SELINUX_TYPES.has(type) || Boolean(user) || Boolean(role);
  };
  const setters = settersText(
    isBad(spec.securityContext?.seLinuxOptions),
    containersWhere(spec, ({ securityContext }) => isBad(securityContext?.seLinuxOptions)),
  );
  if (setters === '') return undefined;
  const data = [
    ...(types.size > 0 ? [`${plural(types.size, 'type')} ${quoted(sorted(types))}`] : []),
    ...['user', 'role'].filter((name) => others.has(name)).map((name) => `${name} may not be set`),
  ];
  return {
    reason: 'seLinuxOptions',
    detail: `${setters} set forbidden securityContext.seLinuxOptions: ${data.join('; ')}`,
  };
};

export const sysctls: Check = (_metadata, spec, minor) => {
  const isAllowed = (name: string): boolean =>
    SYSCTLS.has(name) || (minor >= 27 && name === 'net.ipv4.ip_local_reserved_ports');
  const bad = (spec.securityContext?.sysctls ?? []).map(({ name }) => name).filter((name) => !isAllowed(name));
  return bad.length === 0 ? undefined : { reason: 'forbidden sysctls', detail: bad.join(', ') };
};

export const windowsHostProcess: Check = (_metadata, spec) => {
  const ofPod = spec.securityContext?.windowsOptions?.hostProcess === true;
  const setters = settersText(
    ofPod,
    containersWhere(spec, ({ securityContext }) => securityContext?.windowsOptions?.hostProcess === true),
  );
  return setters === ''
    ? undefined
    : { reason: 'hostProcess', detail: `${setters} must not set securityContext.windowsOptions.hostProcess=true` };
};

const SECCOMP_POD = 'seccomp.security.alpha.kubernetes.io/pod';
const SECCOMP_CONTAINER = 'container.seccomp.security.alpha.kubernetes.io/';

/** Seccomp: annotations up to release 1.18, fields since. */
export const seccompProfile: Check = (metadata, spec, minor) => {
  if (minor < 19) {
    const keys = [SECCOMP_POD, ...containersWhere(spec, () => true).map((name) => `${SECCOMP_CONTAINER}${name}`)];
    const bad = keys.flatMap((key) => {
      const value = getKey<string>(metadata.annotations, key);
      return value === undefined ||
        value === 'runtime/default' ||
        value === 'docker/default' ||
        value.startsWith('localhost/')
        ? []
        : [`${key}=${goQuote(value)}`];
    });
    return bad.length === 0
      ? undefined
      : { reason: 'seccompProfile', detail: `forbidden ${plural(bad.length, 'annotation')} ${sorted(bad).join(', ')}` };
  }
  const types = new Set<string>();
  const isBad = (type: string | undefined): boolean => {
    if (type === undefined || isSeccompType(type)) return false;
    types.add(type);
    return true;
  };
  const setters = settersText(
    isBad(spec.securityContext?.seccompProfile?.type),
    containersWhere(spec, ({ securityContext }) => isBad(securityContext?.seccompProfile?.type)),
  );
  return setters === ''
    ? undefined
    : {
        reason: 'seccompProfile',
        detail: `${setters} must not set securityContext.seccompProfile.type to ${quoted(sorted(types))}`,
      };
};

export function isSeccompType(type: string): boolean {
  return type === 'RuntimeDefault' || type === 'Localhost';
}
