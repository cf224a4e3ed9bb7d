export interface QueuedPod {
  readonly key: string;
  readonly priority: number;
  /** Order of arrival among those of one priority. */
  readonly order: number;
}

/** A heap of pods: the one of the highest priority comes first, of several the one that came first. */
export class ActivePods<T extends QueuedPod> {
  private readonly heap: T[] = [];

  get length(): number {
    return this.heap.length;
  }

  push(entry: T): void {
    const { heap } = this;
    let i = heap.push(entry) - 1;
    for (let parent = (i - 1) >> 1; i > 0 && before(entry, heap[parent]!); parent = (i - 1) >> 1) {
      heap[i] = heap[parent]!;
      i = parent;
    }
    heap[i] = entry;
  }

  pop(): T | undefined {
    const { heap } = this;
    const first = heap[0];
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return first;
    let i = 0;
    for (;;) {
      let child = 2 * i + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && before(heap[child + 1]!, heap[child]!)) child++;
      if (!before(heap[child]!, last)) break;
      heap[i] = heap[child]!;
      i = child;
    }
    heap[i] = last;
    return first;
  }
}

function before(a: QueuedPod, b: QueuedPod): boolean {
  return a.priority === b.priority ? a.order < b.order : a.priority > b.priority;
}
