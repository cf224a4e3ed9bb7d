import type { PolicyRule } from '../../generated/types/rbac-v1.ts';
import { ALL, urlMatches } from './policy-rules.ts';

/** Combinations of group, resource, name and verb that are checked one by one: a small rule can have billions. */
const COMBINATIONS_MAX = 50_000;

/**
 * Comparisons of held rules with one text: 25 to 120 ms, by what is compared and whether it is compiled. A user who may
 * write roles can make any number of them.
 */
const LOOKS_MAX = 2_000_000;
/** Cost of one text of a held rule, in comparisons: to compile it takes longer than one comparison. */
const LOOKS_OF_HELD_TEXT = 10;

/**
 * Rules are too many, or have too many combinations, to be compared one by one. The message has their estimated number.
 */
export class TooManyCombinationsError extends Error {
  constructor(what: string) {
    super(`more than ${what}`);
    this.name = 'TooManyCombinationsError';
  }
}

/** A rule whose lists are all present. */
type RuleParts = Required<{ [Field in keyof PolicyRule]: readonly string[] }>;

/** A rule that the user holds. */
interface HeldRule {
  readonly verbs: ReadonlySet<string>;
  readonly groups: ReadonlySet<string>;
  readonly resources: ReadonlySet<string>;
  /** Absent: objects of any name. */
  readonly names: ReadonlySet<string> | undefined;
  readonly urls: readonly string[];
}

/**
 * The rules of `wanted` that the rules in `held` do not cover, as rules of one verb on one resource (and name) or one
 * URL. Empty: everything is held. Throws `TooManyCombinationsError` for rules that no held rule covers as a whole, or
 * where there is more than `looksMax` to compare.
 */
export function missingRules(
  held: readonly PolicyRule[],
  wanted: readonly PolicyRule[],
  looksMax = LOOKS_MAX,
): PolicyRule[] {
  const comparison = new Comparison(held, looksMax);
  const others = wanted.map(partsOf).filter((rule) => !comparison.givesWhole(rule));
  if (others.reduce((sum, rule) => sum + combinations(rule), 0) > COMBINATIONS_MAX)
    throw new TooManyCombinationsError(`${COMBINATIONS_MAX} combinations of groups, resources, names and verbs`);
  return others.flatMap((rule) => [...comparison.missingResources(rule), ...comparison.missingUrls(rule)]);
}

/** Verbs may be null in stored objects. */
function partsOf({
  verbs,
  apiGroups = [],
  resources = [],
  resourceNames = [],
  nonResourceURLs = [],
}: PolicyRule): RuleParts {
  return { verbs: verbs ?? [], apiGroups, resources, resourceNames, nonResourceURLs };
}

function combinations({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: RuleParts): number {
  return (
    verbs.length * (apiGroups.length * resources.length * Math.max(1, resourceNames.length) + nonResourceURLs.length)
  );
}

/** Held rules, with a bound on the number of comparisons. */
class Comparison {
  private readonly held: readonly HeldRule[];
  private readonly looksMax: number;
  private looks = 0;

  constructor(held: readonly PolicyRule[], looksMax: number) {
    this.looksMax = looksMax;
    this.held = held.map((rule) => this.heldRule(partsOf(rule)));
  }

  /** Whether one of the rules covers all of a resource rule. */
  givesWhole({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: RuleParts): boolean {
    return (
      nonResourceURLs.length === 0 &&
      this.held.some(
        (rule) =>
          apiGroups.every((group) => this.has(rule.groups, group)) &&
          resources.every((resource) => this.hasResource(rule.resources, resource)) &&
          verbs.every((verb) => this.has(rule.verbs, verb)) &&
          (rule.names === undefined ||
            (resourceNames.length > 0 && resourceNames.every((name) => this.hasName(rule, name)))),
      )
    );
  }

  missingResources({ verbs, apiGroups, resources, resourceNames }: RuleParts): PolicyRule[] {
    const missing: PolicyRule[] = [];
    for (const apiGroup of apiGroups) {
      const inGroup = this.held.filter(({ groups }) => this.has(groups, apiGroup));
      for (const resource of resources) {
        const onResource = inGroup.filter((rule) => this.hasResource(rule.resources, resource));
        for (const verb of verbs) {
          const doing = onResource.filter((rule) => this.has(rule.verbs, verb));
          if (doing.some(({ names }) => names === undefined)) continue;
          const rule = { apiGroups: [apiGroup], resources: [resource], verbs: [verb] };
          if (resourceNames.length === 0) missing.push(rule);
          for (const name of resourceNames)
            if (!doing.some((held) => this.hasName(held, name))) missing.push({ ...rule, resourceNames: [name] });
        }
      }
    }
    return missing;
  }

  missingUrls({ verbs, nonResourceURLs }: RuleParts): PolicyRule[] {
    const missing: PolicyRule[] = [];
    for (const url of nonResourceURLs) {
      const onUrl = this.held.filter(({ names, urls }) => {
        this.count(1 + urls.length);
        return names === undefined && urls.some((owned) => urlMatches(owned, url));
      });
      for (const verb of verbs)
        if (!onUrl.some((rule) => this.has(rule.verbs, verb))) missing.push({ nonResourceURLs: [url], verbs: [verb] });
    }
    return missing;
  }

  private heldRule({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: RuleParts): HeldRule {
    this.count(LOOKS_OF_HELD_TEXT * (1 + verbs.length + apiGroups.length + resources.length + resourceNames.length));
    return {
      verbs: new Set(verbs),
      groups: new Set(apiGroups),
      resources: new Set(resources),
      names: resourceNames.length === 0 ? undefined : new Set(resourceNames),
      urls: nonResourceURLs,
    };
  }

  private has(held: ReadonlySet<string>, wanted: string): boolean {
    this.count(1);
    return held.has(ALL) || held.has(wanted);
  }

  /** A subresource is also covered by the same one of all resources. */
  private hasResource(held: ReadonlySet<string>, wanted: string): boolean {
    const slash = wanted.indexOf('/');
    return this.has(held, wanted) || (slash >= 0 && held.has(`*${wanted.slice(slash)}`));
  }

  private hasName({ names }: HeldRule, wanted: string): boolean {
    this.count(1);
    return names?.has(wanted) ?? true;
  }

  private count(looks: number): void {
    this.looks += looks;
    if (this.looks > this.looksMax) throw new TooManyCombinationsError(`${this.looksMax} comparisons`);
  }
}
