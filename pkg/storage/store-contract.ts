/**
 * The suite that every Store implementation passes: the promises of `store.ts`, case by case. Each case gets an empty
 * store; implementations may share one server between cases as long as the keys of other cases stay hidden.
 */
import { describeCommits, describeKeysAndValues } from './contract/commit-cases.ts';
import { bytes, committed } from './contract/contract-store.ts';
import type { ContractStore } from './contract/contract-store.ts';
import { describeCompaction, describeExpiry } from './contract/history-cases.ts';
import { describeReads, describeSnapshots } from './contract/read-cases.ts';
import { describeWatches, describeWatchLife } from './contract/watch-cases.ts';
import type { Store } from './store.ts';

export interface StoreContract {
  readonly name: string;
  /** A store without keys. */
  readonly open: () => Promise<Store>;
}

const suites = [
  describeCommits,
  describeKeysAndValues,
  describeReads,
  describeSnapshots,
  describeWatches,
  describeWatchLife,
  describeCompaction,
  describeExpiry,
];

export function describeStoreContract(contract: StoreContract): void {
  describe(`store contract: ${contract.name}`, () => {
    let store: Store;
    beforeEach(async () => {
      store = await contract.open();
    });
    afterEach(() => store.close());
    const cases: ContractStore = {
      open: () => store,
      put: (key, value, expectRevision = 0) => committed(store.commit(key, { expectRevision, value: bytes(value) })),
      remove: (key, expectRevision) => committed(store.commit(key, { expectRevision })),
    };
    for (const describeSuite of suites) describeSuite(cases);
  });
}
