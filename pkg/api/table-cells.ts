import { labelSelectorAsSelector } from '../apimachinery/selectors/label-selector.ts';
import type { LabelSelector } from '../generated/types/meta-v1.ts';

/** Texts that the printed tables of many kinds share. All are those that kubectl users know from stock servers. */

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/**
 * A duration in the one or two largest units that matter: `45s`, `5m30s`, `3h`, `2d4h`, `400d`, `2y10d`. `ms` may be
 * slightly negative: clocks differ.
 */
export function humanDuration(ms: number): string {
  const seconds = Math.trunc(ms / 1000);
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  if (seconds < 2 * MINUTE) return `${seconds}s`;
  const minutes = Math.trunc(seconds / MINUTE);
  if (minutes < 10) return joined(minutes, 'm', seconds % MINUTE, 's');
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.trunc(seconds / HOUR);
  if (hours < 8) return joined(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return `${hours}h`;
  const days = Math.trunc(seconds / DAY);
  if (days < 8) return joined(days, 'd', hours % 24, 'h');
  if (days < 365 * 2) return `${days}d`;
  const years = Math.trunc(days / 365);
  return days < 365 * 8 ? joined(years, 'y', days % 365, 'd') : `${years}y`;
}

function joined(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large}${largeUnit}` : `${large}${largeUnit}${small}${smallUnit}`;
}

/** Time since an RFC 3339 timestamp; `<unknown>` where there is none. */
export function age(timestamp: string | null | undefined, nowMs: number): string {
  if (timestamp === null || timestamp === undefined || timestamp === '') return '<unknown>';
  return humanDuration(nowMs - Date.parse(timestamp));
}

/** A label selector object as text, `<none>` when it has no requirement. */
export function labelSelectorText(selector: LabelSelector | null | undefined): string {
  if (selector === null || selector === undefined) return '<none>';
  try {
    return labelSelectorAsSelector(selector).toString() || '<none>';
  } catch {
    // Shown in the cell, as kubectl shows it: a table must not fail for one row.
    return '<error>';
  }
}

/** A plain map of labels as text: `a=1,b=2`, sorted; `<none>` when empty. */
export function labelsText(labels: Readonly<Record<string, string>> | null | undefined): string {
  const pairs = Object.entries(labels ?? {}).map(([key, value]) => `${key}=${value}`);
  return pairs.length === 0 ? '<none>' : pairs.sort().join(',');
}
