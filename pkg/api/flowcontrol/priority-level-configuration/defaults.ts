import type {
  ExemptPriorityLevelConfiguration,
  LimitResponse,
  PriorityLevelConfiguration,
} from '../../../generated/types/flowcontrol-v1.ts';
import type * as v1beta2 from '../../../generated/types/flowcontrol-v1beta2.ts';
import type * as v1beta3 from '../../../generated/types/flowcontrol-v1beta3.ts';
import { PRESERVE_ZERO_ANNOTATION } from './conversion.ts';

const DEFAULT_SHARES = 30;
const DEFAULT_QUEUES = 64;
const DEFAULT_HAND_SIZE = 8;
const DEFAULT_QUEUE_LENGTH = 50;

export function setDefaults({ spec }: PriorityLevelConfiguration): void {
  if (spec.limited !== undefined) {
    spec.limited.nominalConcurrencyShares ??= DEFAULT_SHARES;
    spec.limited.lendablePercent ??= 0;
    setQueuingDefaults(spec.limited.limitResponse);
  }
  setExemptDefaults(spec.exempt);
}

/** In the beta versions zero means the default; an annotation marks an intended zero. */
export function setBeta3Defaults({ metadata, spec }: v1beta3.PriorityLevelConfiguration): void {
  if (spec.limited !== undefined) {
    if (!isZeroMeant(metadata)) spec.limited.nominalConcurrencyShares ||= DEFAULT_SHARES;
    spec.limited.lendablePercent ??= 0;
    setQueuingDefaults(spec.limited.limitResponse);
  }
  setExemptDefaults(spec.exempt);
}

export function setBeta2Defaults({ metadata, spec }: v1beta2.PriorityLevelConfiguration): void {
  if (spec.limited !== undefined) {
    if (!isZeroMeant(metadata)) spec.limited.assuredConcurrencyShares ||= DEFAULT_SHARES;
    spec.limited.lendablePercent ??= 0;
    setQueuingDefaults(spec.limited.limitResponse);
  }
  setExemptDefaults(spec.exempt);
}

function isZeroMeant(metadata: PriorityLevelConfiguration['metadata']): boolean {
  return metadata.annotations !== undefined && Object.hasOwn(metadata.annotations, PRESERVE_ZERO_ANNOTATION);
}

function setQueuingDefaults({ queuing }: LimitResponse): void {
  if (queuing === undefined) return;
  queuing.queues ||= DEFAULT_QUEUES;
  queuing.handSize ||= DEFAULT_HAND_SIZE;
  queuing.queueLengthLimit ||= DEFAULT_QUEUE_LENGTH;
}

function setExemptDefaults(exempt: ExemptPriorityLevelConfiguration | undefined): void {
  if (exempt === undefined) return;
  exempt.nominalConcurrencyShares ??= 0;
  exempt.lendablePercent ??= 0;
}
