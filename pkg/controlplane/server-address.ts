import { readFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { formatIp, parseIp } from '../apimachinery/names/ip.ts';
import { authority } from '../net/server-address.ts';

/** An address of one of the machine's interfaces. */
export interface InterfaceAddress {
  readonly address: string;
  readonly family: string;
  /** Reached from this machine alone. */
  readonly internal: boolean;
}

/** What `--bind-address` says of every interface: of IPv4, of both, and of both where the machine has both. */
const wildcards: ReadonlySet<string> = new Set(['0.0.0.0', '::', '']);

/**
 * The address that clients use: `--advertise-address`, or the bind address, or where both are wildcards the machine's
 * first one that others can reach, IPv4 before IPv6. In its canonical text, as endpoints have it.
 */
export function advertisedAddress(
  given: string,
  bindAddress: string,
  addresses: readonly InterfaceAddress[] = machineAddresses(),
): string {
  const named = [given, bindAddress].map(canonical).find((address) => !wildcards.has(address));
  if (named !== undefined) return named;
  const reachable = addresses.filter(({ address, internal }) => !internal && !isLinkLocal(address));
  const families = bindAddress === '0.0.0.0' ? ['IPv4'] : ['IPv4', 'IPv6'];
  return families.flatMap((family) => reachable.find((one) => one.family === family) ?? [])[0]?.address ?? '127.0.0.1';
}

/** Names under which clients reach a server at these addresses; certificates know no zones. */
export function ownNames(addresses: readonly string[]): readonly string[] {
  const names = [
    'localhost',
    'kubernetes',
    'kubernetes.default',
    'kubernetes.default.svc',
    '127.0.0.1',
    '::1',
    ...addresses.map((address) => address.replace(/%.*$/, '')),
  ];
  return [...new Set(names.filter((name) => !wildcards.has(name)))];
}

/** URL at which clients on this machine reach it. */
export function localUrl(host: string, port: number): string {
  return `https://${authority(wildcards.has(host) ? '127.0.0.1' : host, port)}`;
}

/** The text as it is where it is no address, or one with a zone. */
function canonical(address: string): string {
  const bytes = parseIp(address);
  return bytes === undefined ? address : formatIp(bytes);
}

function isLinkLocal(address: string): boolean {
  return /^(169\.254\.|fe[89ab])/i.test(address);
}

function machineAddresses(): readonly InterfaceAddress[] {
  const interfaces = Object.entries(networkInterfaces()).flatMap(([name, list]) =>
    (list ?? []).map((one) => ({ ...one, name })),
  );
  const outward = outwardInterface(routingTable());
  return [...interfaces.filter(({ name }) => name === outward), ...interfaces.filter(({ name }) => name !== outward)];
}

/**
 * The interface of the default route in the kernel's table of routes, so that bridges of containers don't count before
 * it.
 */
export function outwardInterface(table: string): string | undefined {
  return table
    .split('\n')
    .map((line) => line.split(/\s+/))
    .find(([, destination, , , , , , mask]) => destination === '00000000' && mask === '00000000')?.[0];
}

/** Empty where the system has no such file. */
function routingTable(): string {
  try {
    return readFileSync('/proc/net/route', 'utf8');
  } catch {
    // Only Linux has this file: without it the default route is unknown.
    return '';
  }
}
