import type { HeapProfiler, Profiler } from 'node:inspector';
import { gzipSync } from 'node:zlib';
import { CPU_SAMPLING_US } from './cpu-profiler.ts';
import type { DelayBucket } from './event-loop-delays.ts';
import { HEAP_SAMPLING_BYTES } from './heap-sampler.ts';
import { OriginalFrames } from './original-frames.ts';
import { ProfileWriter } from './profile-writer.ts';
import type { RecordedProfile } from './recorded-profile.ts';

const NANOS_PER_US = 1000;
const NANOS_PER_MS = 1_000_000;
/** What V8 calls the beginning of every stack, and time in which there was nothing to do. */
const ROOT = '(root)';
const IDLE = '(idle)';
const cpu = { type: 'cpu', unit: 'nanoseconds' };
const space = { type: 'inuse_space', unit: 'bytes' };
const contentions = { type: 'contentions', unit: 'count' };

/** Writes a profile in the compressed form of pprof. Takes a while: run it on a thread. */
export function encodeProfile(recorded: RecordedProfile): Uint8Array {
  return gzipSync(writerOf(recorded).encode());
}

function writerOf(recorded: RecordedProfile): ProfileWriter {
  switch (recorded.kind) {
    case 'cpu':
      return writeCpu(recorded.profile, recorded.takenMs);
    case 'heap':
      return writeHeap(recorded.profile, recorded.takenMs);
    case 'delays':
      return writeDelays(recorded.buckets, recorded.takenMs);
  }
}

/**
 * Each sample covers the time since the one before. The thread's idle time is left out, and so is that of the recording
 * itself: its first sample and its last.
 */
function writeCpu(
  { nodes, samples = [], timeDeltas = [], startTime, endTime }: Profiler.Profile,
  takenMs: number,
): ProfileWriter {
  const writer = new ProfileWriter({
    values: [{ type: 'samples', unit: 'count' }, cpu],
    periodValue: cpu,
    period: CPU_SAMPLING_US * NANOS_PER_US,
    takenMs,
    durationNs: (endTime - startTime) * NANOS_PER_US,
  });
  const spent = new Map<number, { count: number; us: number }>();
  for (const [i, id] of samples.entries()) {
    if (i === 0 || i === samples.length - 1) continue;
    const at = spent.get(id) ?? { count: 0, us: 0 };
    spent.set(id, at);
    at.count++;
    at.us += Math.max(0, timeDeltas[i] ?? 0);
  }
  const frames = new OriginalFrames();
  const shown = nodes.filter(({ callFrame }) => callFrame.functionName !== ROOT && callFrame.functionName !== IDLE);
  const locations = new Map(shown.map((node) => [node.id, writer.location(frames.of(node.callFrame))]));
  const parents = new Map(nodes.flatMap((node) => (node.children ?? []).map((child) => [child, node.id] as const)));
  for (const [leaf, { count, us }] of spent) {
    const stack: number[] = [];
    for (let id: number | undefined = leaf; id !== undefined && locations.has(id); id = parents.get(id))
      stack.push(locations.get(id)!);
    if (stack.length > 0) writer.sample(stack, [count, us * NANOS_PER_US]);
  }
  return writer;
}

/** Bytes of objects, estimated from the sampled ones, by where they were allocated. */
function writeHeap({ head }: HeapProfiler.SamplingHeapProfile, takenMs: number): ProfileWriter {
  const writer = new ProfileWriter({
    values: [space],
    periodValue: { type: 'space', unit: 'bytes' },
    period: HEAP_SAMPLING_BYTES,
    takenMs,
  });
  const frames = new OriginalFrames();
  const visit = (node: HeapProfiler.SamplingHeapProfileNode, callers: readonly number[]): void => {
    const stack = [writer.location(frames.of(node.callFrame)), ...callers];
    if (node.selfSize > 0) writer.sample(stack, [node.selfSize]);
    for (const child of node.children) visit(child, stack);
  };
  // Allocations outside of functions belong to the root.
  if (head.selfSize > 0) visit({ ...head, children: [] }, []);
  for (const child of head.children) visit(child, []);
  return writer;
}

/** One sample for each order of magnitude. */
function writeDelays(buckets: readonly DelayBucket[], takenMs: number): ProfileWriter {
  const writer = new ProfileWriter({
    values: [contentions, { type: 'delay', unit: 'nanoseconds' }],
    periodValue: contentions,
    period: 1,
    takenMs,
  });
  for (const { upToMs, count, totalMs } of buckets) {
    const name =
      upToMs === Infinity ? 'event loop late by more than a second' : `event loop late by up to ${upToMs} ms`;
    writer.sample(
      [writer.location({ name, file: '', line: 0, column: 0 })],
      [count, Math.round(totalMs * NANOS_PER_MS)],
    );
  }
  return writer;
}
