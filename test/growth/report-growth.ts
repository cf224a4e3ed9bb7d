import { allResources } from '../../pkg/api/all-resources.ts';
import { Scheme, type VersionedResource } from '../../pkg/api/scheme.ts';
import type { ApiObject } from '../../pkg/apimachinery/meta/object.ts';
import { sampleObject } from '../fixtures/sample-objects.ts';
import { countSteps } from './counted-work.ts';
import { grownObject, type Filling } from './grown-object.ts';
import { placesOf, placeText, type Place } from './places.ts';
import { runCreate, runPatch, runUpdate } from './write-path.ts';

/**
 * A program: grows each list and map of each kind, in every version, counts the steps of a create, an update and a
 * patch at two sizes, and prints what grows faster than the object. Long texts are measured in process time, with a
 * floor far above what a linear look at them takes.
 */

const SMALL = 150;
const GROWTH = 4;
/** Linear work grows by 4, sorting by 5, quadratic work by 16. */
const GROWTH_MAX = 7;
const TEXT_LENGTH = 400_000;
const TEXT_CPU_MS_MAX = 1500;

/** Specs of pods are the same in all kinds that make pods; the pod itself stands for them. */
const POD_SPEC = 'core/v1.PodSpec';
/** The metadata of every kind is the same. */
const METADATA = 'meta/v1.ObjectMeta';

interface Finding {
  readonly kind: string;
  readonly place: string;
  readonly work: string;
  readonly small: number;
  readonly large: number;
}

const scheme = new Scheme(allResources);

function* findingsOf(target: VersionedResource): Generator<Finding> {
  const { definition } = target;
  const isPod = definition.resource === 'pods';
  const sample = sampleOf(target);
  const skips = (name: string): boolean => !isPod && (name === POD_SPEC || name === METADATA);
  for (const place of placesOf(target.schema, skips)) {
    if (place.field.card === 'single') yield* slowText(target, sample, place);
    else
      for (const filling of fillings)
        yield* fastGrowth(target, `${placeText(place)} of ${filling} values`, (count, how) =>
          grownObject(sample, place, count, how ?? filling),
        );
  }
}

const fillings: readonly Filling[] = ['equal', 'distinct'];
/** A body with so many values in the list that grows. */
type Grow = (count: number, filling?: Filling) => object;

function sampleOf({ definition, groupVersion }: VersionedResource): object {
  try {
    const sample = sampleObject(definition.group, definition.resource) as { apiVersion?: string };
    if (sample.apiVersion === groupVersion) return { ...sample, apiVersion: undefined, kind: undefined };
  } catch {
    // A kind that is never stored has none.
  }
  return { metadata: { name: 'sample-one' } };
}

function* fastGrowth(target: VersionedResource, place: string, grow: Grow): Generator<Finding> {
  const small = stepsOf(target, grow, SMALL);
  const large = stepsOf(target, grow, SMALL * GROWTH);
  for (const work of ['create', 'update', 'patch'] as const) {
    if (large[work] > small[work] * GROWTH_MAX)
      yield { kind: nameOf(target), place, work, small: small[work], large: large[work] };
  }
}

function stepsOf(target: VersionedResource, grow: Grow, count: number): Record<'create' | 'update' | 'patch', number> {
  const body = grow(count);
  let object: ApiObject | undefined;
  const create = countSteps(() => void (object = runCreate(scheme, target, body)));
  const update = object === undefined ? 0 : countSteps(() => runUpdate(target, object!));
  const old = grow(count, 'distinct');
  const patch = countSteps(() => runPatch(target, old, body));
  return { create, update, patch };
}

function* slowText(target: VersionedResource, sample: object, place: Place): Generator<Finding> {
  const body = grownObject(sample, place, TEXT_LENGTH, 'equal');
  let best = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < 3; attempt++) {
    const before = process.cpuUsage();
    const object = runCreate(scheme, target, body);
    if (object !== undefined) runUpdate(target, object);
    const { user, system } = process.cpuUsage(before);
    best = Math.min(best, (user + system) / 1000);
    if (best <= TEXT_CPU_MS_MAX) return;
  }
  yield {
    kind: nameOf(target),
    place: placeText(place),
    work: `CPU of a text of ${TEXT_LENGTH} characters, milliseconds`,
    small: 0,
    large: best,
  };
}

function nameOf({ groupVersion, kind }: VersionedResource): string {
  return `${groupVersion} ${kind}`;
}

/** The count is worth nothing where it does not see what it is for. */
function checkCount(): void {
  const pairs = (count: number): number =>
    countSteps(() => {
      const seen: string[] = [];
      for (let i = 0; i < count; i++) if (!seen.includes(`warning ${i}`)) seen.push(`warning ${i}`);
    });
  if (pairs(SMALL * GROWTH) <= pairs(SMALL) * GROWTH_MAX) throw new Error('quadratic work is not counted');
}

checkCount();
const [only] = process.argv.slice(2);
let kinds = 0;
const findings: Finding[] = [];
for (const definition of allResources) {
  if (only !== undefined && definition.resource !== only) continue;
  for (const { groupVersion } of definition.versions) {
    const target = scheme.at(definition, groupVersion)!;
    // Versions of pod templates differ in their defaults alone: the hub is enough for those.
    if (
      groupVersion !== definition.hub &&
      definition.group !== 'autoscaling' &&
      definition.group !== 'rbac.authorization.k8s.io'
    )
      continue;
    for (const finding of findingsOf(target)) findings.push(finding);
    kinds++;
  }
}
process.stdout.write(`${JSON.stringify({ kinds, findings })}\n`);
