import { notNegative } from '../checks.ts';
import { optionGroup } from '../option.ts';

/** Sizes from which work goes to a thread; the defaults follow from what `test/bench/thread-thresholds.ts` prints. */
export const threadsOptions = optionGroup('Threads', [
  {
    name: 'patch-thread-bytes',
    type: 'int',
    default: '16384',
    help: 'Size of JSON and strategic merge patches from which they are applied on a thread, bytes',
    check: notNegative,
  },
  {
    name: 'yaml-thread-bytes',
    type: 'int',
    default: '16384',
    help: 'Size of text from which YAML is read and written on a thread, bytes',
    check: notNegative,
  },
  {
    name: 'encode-thread-bytes',
    type: 'int',
    default: '16777216',
    help: 'Stored size of the objects that a list has to encode from which they are written while the list is sent, not kept, and those that have to be decoded are encoded on threads, bytes',
    check: notNegative,
  },
]);
