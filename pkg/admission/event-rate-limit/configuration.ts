import { FieldErrors, aggregateText } from '../../apimachinery/errors/field-errors.ts';
import { field, type FieldPath } from '../../apimachinery/errors/field-path.ts';
import { ConfigurationSection } from '../configuration-section.ts';

const TYPES = ['Server', 'Namespace', 'User', 'SourceAndObject'] as const;
export type LimitType = (typeof TYPES)[number];

/** The rate of events for each key of `type`. */
export interface Limit {
  readonly type: LimitType;
  readonly perSecond: number;
  readonly burst: number;
  /** Limit of cached keys; the least recently used are dropped. */
  readonly remembered: number;
}

const KIND = 'eventratelimit.admission.k8s.io/v1alpha1, Configuration';
const REMEMBERED_DEFAULT = 4096;

/** Reads the plugin's configuration. Throws Error. */
export function eventLimits(configuration: unknown): readonly Limit[] {
  const sections = ConfigurationSection.ofKind(configuration, [KIND]).sections('limits');
  const errors = new FieldErrors();
  const path = field('limits');
  if (sections.length === 0) errors.invalid(path, [], 'must not be empty');
  const limits = sections.map((section, i) => limitOf(section, path.index(i), errors));
  if (errors.length > 0) throw new Error(aggregateText(errors));
  return limits;
}

function limitOf(section: ConfigurationSection, path: FieldPath, errors: FieldErrors): Limit {
  const type = section.text('type') ?? '';
  const number = (name: string): number => {
    const value = section.raw(name) ?? 0;
    if (!Number.isSafeInteger(value)) throw new Error(`${section.at(name)} must be an integer`);
    return value as number;
  };
  const [perSecond, burst, cacheSize] = [number('qps'), number('burst'), number('cacheSize')];
  if (!TYPES.includes(type as LimitType)) errors.notSupported(path.child('type'), type, TYPES);
  if (burst <= 0) errors.invalid(path.child('burst'), burst, 'must be positive');
  if (perSecond <= 0) errors.invalid(path.child('qps'), perSecond, 'must be positive');
  if (type !== 'Server' && cacheSize < 0) errors.invalid(path.child('cacheSize'), cacheSize, 'must not be negative');
  return { type: type as LimitType, perSecond, burst, remembered: cacheSize === 0 ? REMEMBERED_DEFAULT : cacheSize };
}
