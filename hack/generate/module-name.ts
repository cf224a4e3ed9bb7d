/** File name of a package's generated module: `apps/v1` to `apps-v1`. */
export function moduleName(pkg: string): string {
  return pkg.replace('/', '-');
}
