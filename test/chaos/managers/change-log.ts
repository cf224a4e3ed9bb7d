import type { ApiObject } from '../../../pkg/apimachinery/meta/object.ts';
import type { Change } from './set-bounds.ts';

interface Line {
  readonly atMs: number;
  /** Of the object and of its owners. */
  readonly uids: readonly string[];
  readonly text: string;
}

/** What happened to sets and their pods lately: the reason of a problem is in what came before it. */
export class ChangeLog {
  private readonly keptMs: number;
  private lines: Line[] = [];

  constructor(keptMs: number) {
    this.keptMs = keptMs;
  }

  /** `known`: the state before; of a deleted object the last one. */
  add({ key, object, atMs }: Change, known: ApiObject | undefined): void {
    const state = object ?? known;
    if (state === undefined) return;
    const { uid = '', ownerReferences = [] } = state.metadata;
    const uids = [uid, ...ownerReferences.map((owner) => owner.uid)];
    const what = object === undefined ? 'deleted' : JSON.stringify(summary(object));
    this.lines.push({ atMs, uids, text: `${key} ${what}` });
    const oldestMs = atMs - this.keptMs;
    if (this.lines[0]!.atMs < oldestMs - this.keptMs) this.lines = this.lines.filter((line) => line.atMs >= oldestMs);
  }

  /** Changes of an object and of those that it owns, with the milliseconds before `nowMs`. */
  of(uid: string, nowMs: number): readonly string[] {
    return this.lines
      .filter(({ uids, atMs }) => uids.includes(uid) && atMs >= nowMs - this.keptMs)
      .map(({ atMs, text }) => `  ${Math.round(nowMs - atMs)} ms before: ${text}`);
  }
}

function summary({ kind, metadata, ...rest }: ApiObject): object {
  const { spec = {}, status = {} } = rest as unknown as { spec?: Record<string, unknown>; status?: object };
  const { resourceVersion, generation, deletionTimestamp, finalizers } = metadata;
  const { replicas, parallelism, completions } = spec;
  const isPod = kind === 'Pod';
  const shown = isPod ? { phase: (status as { phase?: string }).phase } : { status };
  return { resourceVersion, generation, deletionTimestamp, finalizers, replicas, parallelism, completions, ...shown };
}
