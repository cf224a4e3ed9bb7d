import type { OptionValues } from '../../options/option.ts';
import { optionProblem, OptionsError } from '../../options/options-error.ts';
import type { CacheSettings } from '../../server/resource-stores.ts';
import { storedResource } from './stored-resource.ts';

/** Memory for decoded objects and encoded answers where `--target-ram-mb` says nothing. */
const DEFAULT_RAM_MB = 192;
const OPTION = 'watch-cache-sizes';

/** What is kept in memory. Throws `OptionsError` for sizes of resources that there are not. */
export function readCacheConfig(options: OptionValues): CacheSettings {
  const problems: string[] = [];
  const sizes = new Map<string, number>();
  for (const item of options.list(OPTION)) {
    const [name, size] = splitAtHash(item);
    const resource = watchedResource(name);
    if (resource === undefined) problems.push(optionProblem(OPTION, item, `no such resource: ${name}`));
    else sizes.set(resource, Number(size));
  }
  if (problems.length > 0) throw new OptionsError(problems);
  const byDefault = options.int('default-watch-cache-size');
  const objectsMax = options.int('deserialization-cache-size');
  return {
    bytes: (options.int('target-ram-mb') || DEFAULT_RAM_MB) * 1024 * 1024,
    ...(objectsMax === 0 ? {} : { objectsMax }),
    history: options.bool('watch-cache') ? { sizes, byDefault } : { sizes: new Map(), byDefault: 0 },
  };
}

/** The name in the store of `resource[.group]`; undefined where there is no such resource. */
function watchedResource(name: string): string | undefined {
  const [, resource, group = ''] = /^([^.]*)\.?(.*)$/.exec(name)!;
  return storedResource(group, resource!);
}

/** The two parts of `resource#value`. */
function splitAtHash(item: string): readonly [name: string, value: string] {
  const hash = item.indexOf('#');
  return [item.slice(0, hash), item.slice(hash + 1)];
}
