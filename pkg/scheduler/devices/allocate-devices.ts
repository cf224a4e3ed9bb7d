import { tolerates } from '../../api/core/pod-spec/tolerates.ts';
import type { Node, NodeSelector, NodeSelectorRequirement } from '../../generated/types/core-v1.ts';
import type {
  AllocationResult,
  DeviceAllocationConfiguration,
  DeviceConstraint,
  DeviceRequest,
  DeviceRequestAllocationResult,
  DeviceSubRequest,
  ExactDeviceRequest,
  ResourceClaim,
} from '../../generated/types/resource-v1.ts';
import type { DeviceLookup } from './device-lookup.ts';
import { completePools, devicesOnNode, type NodeDevice } from './devices-on-node.ts';

/** Devices that are tried for the claims of one pod on one node: a search that is not over by then has failed. */
const TRIES_MAX = 10_000;

interface ClaimRequest {
  readonly claim: ResourceClaim;
  readonly request: DeviceRequest;
}

/** One way to satisfy a request. */
interface Option extends Partial<ExactDeviceRequest> {
  /** As results have it: `request`, or `request/subrequest`. */
  readonly name: string;
}

interface Choice {
  readonly wanted: ClaimRequest;
  readonly option: Option;
  readonly device: NodeDevice;
}

type Allocations = ReadonlyMap<ResourceClaim, AllocationResult>;

/**
 * Chooses devices for all claims of a pod, node by node, out of what there is now; undefined: a node has not enough.
 */
export function deviceAllocator(
  claims: readonly ResourceClaim[],
  lookup: DeviceLookup,
): (node: Node) => Allocations | undefined {
  const [slices, inUse] = [completePools(lookup.slices()), lookup.inUse()];
  return (node) => allocate(claims, new DeviceSearch(claims, devicesOnNode(node, slices), inUse), lookup);
}

function allocate(
  claims: readonly ResourceClaim[],
  search: DeviceSearch,
  lookup: DeviceLookup,
): Allocations | undefined {
  const choices = search.run();
  if (choices === undefined) return undefined;
  return new Map(
    claims.map((claim) => [
      claim,
      resultOf(
        claim,
        choices.filter(({ wanted }) => wanted.claim === claim),
        lookup,
      ),
    ]),
  );
}

/** Request by request, each with the first devices that leave enough for the others. */
class DeviceSearch {
  private readonly requests: readonly ClaimRequest[];
  private readonly devices: readonly NodeDevice[];
  private readonly inUse: ReadonlySet<string>;
  private readonly choices: Choice[] = [];
  private tries = 0;

  constructor(claims: readonly ResourceClaim[], devices: readonly NodeDevice[], inUse: ReadonlySet<string>) {
    this.requests = claims.flatMap((claim) =>
      (claim.spec.devices?.requests ?? []).map((request) => ({ claim, request })),
    );
    this.devices = devices;
    this.inUse = inUse;
  }

  run(): readonly Choice[] | undefined {
    return this.fill(0) ? this.choices : undefined;
  }

  private fill(index: number): boolean {
    const wanted = this.requests[index];
    if (wanted === undefined) return true;
    return optionsOf(wanted.request).some((option) =>
      option.allocationMode === 'All' ? this.takeAll(wanted, option, index) : this.take(wanted, option, index),
    );
  }

  private takeAll(wanted: ClaimRequest, option: Option, index: number): boolean {
    const all = this.devices.filter((device) => isTolerated(device, option));
    if (all.length === 0 || all.some((device) => !this.isFree(device, option))) return false;
    const before = this.choices.length;
    this.choices.push(...all.map((device) => ({ wanted, option, device })));
    if (this.satisfiesConstraints(wanted.claim) && this.fill(index + 1)) return true;
    this.choices.length = before;
    return false;
  }

  /** `left`: devices that the request still lacks; `from`: those before are decided. */
  private take(wanted: ClaimRequest, option: Option, index: number, left = option.count ?? 1, from = 0): boolean {
    if (left === 0) return this.fill(index + 1);
    for (let i = from; i < this.devices.length; i++) {
      if (++this.tries > TRIES_MAX) return false;
      const device = this.devices[i]!;
      if (!isTolerated(device, option) || !this.isFree(device, option)) continue;
      this.choices.push({ wanted, option, device });
      if (this.satisfiesConstraints(wanted.claim) && this.take(wanted, option, index, left - 1, i + 1)) return true;
      this.choices.pop();
    }
    return false;
  }

  private isFree({ key }: NodeDevice, { adminAccess }: Option): boolean {
    if (adminAccess === true) return true;
    return (
      !this.inUse.has(key) &&
      !this.choices.some(({ device, option }) => device.key === key && option.adminAccess !== true)
    );
  }

  private satisfiesConstraints(claim: ResourceClaim): boolean {
    const own = this.choices.filter(({ wanted }) => wanted.claim === claim);
    return (claim.spec.devices?.constraints ?? []).every((constraint) => holds(constraint, own));
  }
}

function optionsOf({ name, exactly, firstAvailable }: DeviceRequest): readonly Option[] {
  if (exactly !== undefined) return [{ ...exactly, name }];
  return (firstAvailable ?? []).map((option: DeviceSubRequest) => ({ ...option, name: `${name}/${option.name}` }));
}

function isTolerated({ device }: NodeDevice, { tolerations = [] }: Option): boolean {
  return (device.taints ?? []).every(
    (taint) =>
      (taint.effect !== 'NoSchedule' && taint.effect !== 'NoExecute') ||
      tolerations.some((toleration) => tolerates(toleration, taint)),
  );
}

function holds(
  { requests = [], matchAttribute, distinctAttribute }: DeviceConstraint,
  own: readonly Choice[],
): boolean {
  const attribute = matchAttribute ?? distinctAttribute;
  if (attribute === undefined) return true;
  const values = own
    .filter(
      ({ wanted, option }) =>
        requests.length === 0 || requests.some((n) => n === wanted.request.name || n === option.name),
    )
    .map(({ device }) => attributeOf(device, attribute));
  if (values.includes(undefined)) return false;
  const different = new Set(values).size;
  return matchAttribute === undefined ? different === values.length : different <= 1;
}

/** Drivers may leave their own domain out of the names of attributes. */
function attributeOf({ device, driver }: NodeDevice, name: string): string | undefined {
  const short = name.startsWith(`${driver}/`) ? name.slice(driver.length + 1) : name;
  const value = device.attributes?.[name] ?? device.attributes?.[short];
  return value === undefined ? undefined : JSON.stringify(value);
}

function resultOf(claim: ResourceClaim, choices: readonly Choice[], lookup: DeviceLookup): AllocationResult {
  const results = choices.map(({ option, device }): DeviceRequestAllocationResult => ({
    request: option.name,
    driver: device.driver,
    pool: device.pool,
    device: device.device.name,
    ...(option.adminAccess === true ? { adminAccess: true } : {}),
    ...(option.tolerations?.length ? { tolerations: option.tolerations } : {}),
  }));
  const config = configOf(claim, choices, lookup);
  const nodeSelector = placesOf(choices);
  return {
    devices: { results, ...(config.length === 0 ? {} : { config }) },
    ...(nodeSelector === undefined ? {} : { nodeSelector }),
  };
}

function configOf(
  claim: ResourceClaim,
  choices: readonly Choice[],
  lookup: DeviceLookup,
): DeviceAllocationConfiguration[] {
  const options = new Map(choices.map(({ option }) => [option.name, option]));
  const names = new Set([...options.keys()].flatMap((name) => [name, name.split('/')[0]!]));
  const ofClasses = Array.from(options.values()).flatMap(({ deviceClassName = '' }) =>
    (lookup.deviceClass(deviceClassName)?.spec.config ?? []).map((one) => ({ source: 'FromClass', ...one })),
  );
  const ofClaim = (claim.spec.devices?.config ?? [])
    .filter(({ requests = [] }) => requests.length === 0 || requests.some((name) => names.has(name)))
    .map((one) => ({ source: 'FromClaim', ...one }));
  return [...ofClasses, ...ofClaim];
}

/** Where all of the devices can be used; undefined: everywhere. */
function placesOf(choices: readonly Choice[]): NodeSelector | undefined {
  const matchExpressions: NodeSelectorRequirement[] = [];
  const matchFields: NodeSelectorRequirement[] = [];
  const add = (list: NodeSelectorRequirement[], more: readonly NodeSelectorRequirement[] = []): void => {
    for (const one of more) if (!list.some((known) => JSON.stringify(known) === JSON.stringify(one))) list.push(one);
  };
  for (const { place } of choices.map(({ device }) => device)) {
    if (place === undefined) continue;
    if ('nodeName' in place) {
      const onNode = { key: 'metadata.name', operator: 'In', values: [place.nodeName] };
      return { nodeSelectorTerms: [{ matchFields: [onNode] }] };
    }
    for (const term of place.nodeSelector.nodeSelectorTerms ?? []) {
      add(matchExpressions, term.matchExpressions);
      add(matchFields, term.matchFields);
    }
  }
  if (matchExpressions.length + matchFields.length === 0) return undefined;
  return {
    nodeSelectorTerms: [
      {
        ...(matchExpressions.length === 0 ? {} : { matchExpressions }),
        ...(matchFields.length === 0 ? {} : { matchFields }),
      },
    ],
  };
}
