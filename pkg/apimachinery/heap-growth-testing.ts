import v8 from 'node:v8';
import vm from 'node:vm';

/** For tests: the growth of the heap in bytes, without garbage, while the result of `make` is kept. */
export function heapGrowth(make: () => unknown): number {
  v8.setFlagsFromString('--expose-gc');
  const collect = vm.runInNewContext('gc') as () => void;
  collect();
  const before = process.memoryUsage().heapUsed;
  const kept = make();
  collect();
  const growth = process.memoryUsage().heapUsed - before;
  return kept === undefined ? 0 : growth;
}

/** A text of 20 characters cut out of one of a megabyte, as parts of a long request target are. */
export function cutText(i: number): string {
  return Buffer.from(`/${String(i).padStart(20, '-')}/`.padEnd(1_000_000, 'x'))
    .toString('latin1')
    .split('/')[1]!;
}
