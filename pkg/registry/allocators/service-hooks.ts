import { endpoints } from '../../api/core/tokens.ts';
import { noAdmission, silentNotes } from '../../admission/admission.ts';
import {
  defaultIpFamilies,
  normalizeClusterIps,
  patchAllocatedValues,
  type IpFamily,
} from '../../api/core/service/allocation-rules.ts';
import type { StrategyContext } from '../../api/resource-definition.ts';
import { invalid, isNotFound } from '../../apimachinery/errors/status-error.ts';
import type { Service } from '../../generated/types/core-v1.ts';
import { deleteObject } from '../delete-object.ts';
import type { ResourceHooks } from '../resource-hooks.ts';
import type { StoreAccess } from '../store-access.ts';
import { AllocationTransaction } from './allocation-transaction.ts';
import type { Holder } from './allocator.ts';
import type { ServiceAllocators } from './service-allocators.ts';
import { changeClusterIps, dropClusterIps, takeClusterIps } from './service-cluster-ips.ts';
import { changeNodePorts, heldNodePorts, takeNodePorts } from './service-node-ports.ts';

export interface ServiceHooksOptions {
  readonly stores: StoreAccess;
  readonly allocators: ServiceAllocators;
  /** Called with releases that failed; the repair corrects them. */
  readonly onError: (error: unknown) => void;
}

/** Takes and releases the cluster IPs and node ports of services around their writes. */
export function serviceHooks({ stores, allocators, onError }: ServiceHooksOptions): ResourceHooks<Service> {
  const families = [...allocators.clusterIps.keys()];
  return {
    reserve(service, old, dryRun) {
      if (old !== undefined) patchAllocatedValues(service, old);
      normalizeClusterIps(service, old);
      setFamilies(service, old, families);
      return reserve(service, dryRun, onError, async (transaction) => {
        if (old === undefined) {
          await takeClusterIps(service, allocators, transaction);
          await takeNodePorts(service, allocators, transaction);
        } else {
          await changeClusterIps(service, old, allocators, transaction);
          await changeNodePorts(service, old, allocators, transaction);
        }
      });
    },
    async after(object, service) {
      if (object !== undefined || service === undefined) return;
      const transaction = new AllocationTransaction(holderOf(service), false, onError);
      dropClusterIps(service, 0, allocators, transaction);
      for (const port of heldNodePorts(service)) transaction.drop(allocators.nodePorts, port);
      await transaction.commit();
      await deleteEndpoints(stores, service, onError);
    },
  };
}

function setFamilies(service: Service, old: Service | undefined, families: readonly IpFamily[]): void {
  const errors = defaultIpFamilies(service, old, families);
  if (errors.length > 0) throw invalid({ group: '', kind: 'Service' }, service.metadata.name ?? '', errors);
}

function holderOf({ metadata }: Service): Holder {
  return { namespace: metadata.namespace ?? '', name: metadata.name ?? '' };
}

async function reserve(
  service: Service,
  dryRun: boolean,
  onError: (error: unknown) => void,
  take: (transaction: AllocationTransaction) => Promise<void>,
): Promise<AllocationTransaction> {
  const transaction = new AllocationTransaction(holderOf(service), dryRun, onError);
  try {
    await take(transaction);
    return transaction;
  } catch (error) {
    await transaction.rollback();
    throw error;
  }
}

/** A new service of the same name must not find the addresses of the old one. */
async function deleteEndpoints(
  stores: StoreAccess,
  { metadata }: Service,
  onError: (error: unknown) => void,
): Promise<void> {
  const { namespace = '', name = '' } = metadata;
  const context: StrategyContext = {
    now: `${new Date().toISOString().slice(0, 19)}Z`,
    user: { name: 'system:apiserver', groups: ['system:masters'] },
    requestVersion: 'v1',
    dryRun: false,
    policy: { allowPrivileged: false },
  };
  try {
    const store = stores(endpoints);
    if ((await store.newest(store.keyOf(namespace, name))) === undefined) return;
    await deleteObject(store, {
      namespace,
      name,
      subresource: '',
      context,
      admission: noAdmission,
      notes: silentNotes,
      options: {},
    });
  } catch (error) {
    if (!isNotFound(error)) onError(error);
  }
}
