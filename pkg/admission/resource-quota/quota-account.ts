import { added, amountsOf, excess, listOf, only } from '../../api/core/resource-quota/usage/amounts.ts';
import { isNotFound, notFound } from '../../apimachinery/errors/status-error.ts';
import type { ResourceQuota } from '../../generated/types/core-v1.ts';
import { ownWrite } from '../../registry/own-writes.ts';
import type { ResourceStore } from '../../registry/resource-store.ts';
import { updateObject } from '../../registry/update-object.ts';
import type { Charge } from './check-request.ts';

/**
 * The usage in quotas' status, changed by compare-and-swap in the store: with concurrent writes of any servers, no
 * amount is granted twice, and none is lost.
 */
export class QuotaAccount {
  private readonly store: ResourceStore<ResourceQuota>;
  private readonly nowMs: () => number;
  private readonly onError: (error: unknown, where: string) => void;

  constructor(
    store: ResourceStore<ResourceQuota>,
    nowMs: () => number,
    onError: (error: unknown, where: string) => void,
  ) {
    this.store = store;
    this.nowMs = nowMs;
    this.onError = onError;
  }

  /**
   * Adds a charge; `check` sees the current quota and throws to refuse. A deleted quota bounds nothing, and amounts
   * that its status no longer bounds are not added.
   */
  async charge(namespace: string, { quota, amounts }: Charge, check: (quota: ResourceQuota) => void): Promise<void> {
    await this.change(namespace, quota, (current) => {
      check(current);
      const bounded = only(amounts, (name) => Object.hasOwn(current.status.hard ?? {}, name));
      if (bounded.size > 0) current.status.used = listOf(added(amountsOf(current.status.used), bounded));
    });
  }

  /** Removes charges. A failure is ignored: the next recount of usage corrects it. */
  async giveBack(namespace: string, charges: readonly Charge[]): Promise<void> {
    for (const { quota, amounts } of charges) {
      try {
        await this.change(namespace, quota, ({ status }) => {
          const used = amountsOf(status.used);
          const less = excess(
            only(used, (name) => amounts.has(name)),
            amounts,
          );
          status.used = listOf(new Map([...used, ...less]));
        });
      } catch (error) {
        this.onError(error, `usage of quota ${namespace}/${quota}`);
      }
    }
  }

  /** Changes a quota's status in place, if the quota exists; runs again when another writer was faster. */
  async change(
    namespace: string,
    quota: string,
    change: (current: ResourceQuota) => void,
  ): Promise<ResourceQuota | undefined> {
    try {
      const { object } = await updateObject(this.store, {
        ...ownWrite(this.store, namespace, quota, this.nowMs()),
        subresource: 'status',
        allowCreate: false,
        transform: (current) => {
          if (current === undefined) throw notFound(this.store.groupResource, quota);
          const changed = current.privateObject();
          change(changed);
          return changed;
        },
      });
      return object.object();
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }
}
