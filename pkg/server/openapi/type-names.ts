/**
 * Names under which documents define types; clients look types up by them. Message names are `package.Name` as in
 * `proto/`.
 */

const prefixes: ReadonlyMap<string, string> = new Map([
  ['meta/v1', 'io.k8s.apimachinery.pkg.apis.meta.v1'],
  ['resource', 'io.k8s.apimachinery.pkg.api.resource'],
  ['intstr', 'io.k8s.apimachinery.pkg.util.intstr'],
  ['runtime', 'io.k8s.apimachinery.pkg.runtime'],
  ['version', 'io.k8s.apimachinery.pkg.version'],
  ['apiextensions/v1', 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1'],
  ['apiextensions/v1beta1', 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1beta1'],
  ['apiregistration/v1', 'io.k8s.kube-aggregator.pkg.apis.apiregistration.v1'],
  ['apiregistration/v1beta1', 'io.k8s.kube-aggregator.pkg.apis.apiregistration.v1beta1'],
]);

/** `apps/v1.Deployment` is `io.k8s.api.apps.v1.Deployment`. */
export function definitionName(message: string): string {
  const dot = message.lastIndexOf('.');
  const pkg = message.slice(0, dot);
  const slash = pkg.indexOf('/');
  // Custom groups are domains: `stable.example.com/v1.CronTab` is `com.example.stable.v1.CronTab`.
  if (pkg.slice(0, slash).includes('.'))
    return `${pkg.slice(0, slash).split('.').reverse().join('.')}.${pkg.slice(slash + 1)}${message.slice(dot)}`;
  return `${prefixes.get(pkg) ?? `io.k8s.api.${pkg.replaceAll('/', '.')}`}${message.slice(dot)}`;
}

const title = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

/** `RbacAuthorization` for `rbac.authorization.k8s.io`, `Core` for the group without name. */
export function groupTitle(group: string): string {
  if (group === '') return 'Core';
  return group
    .replace(/\.k8s\.io$/, '')
    .split(/[.-]/)
    .map(title)
    .join('');
}

/** `RbacAuthorizationV1`, the middle of operation ids. */
export function groupVersionTitle(group: string, version: string): string {
  return groupTitle(group) + title(version);
}

/** `rbacAuthorization_v1`. */
export function groupVersionTag(group: string, version: string): string {
  return `${groupTag(group)}_${version}`;
}

export function groupTag(group: string): string {
  const text = groupTitle(group);
  return text.slice(0, 1).toLowerCase() + text.slice(1);
}

export { title };
