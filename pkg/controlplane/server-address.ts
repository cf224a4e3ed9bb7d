import { networkInterfaces } from 'node:os';

/** An address of one of the machine's interfaces. */
export interface InterfaceAddress {
  readonly address: string;
  readonly family: string;
  /** Reached from this machine alone. */
  readonly internal: boolean;
}

/** What `--bind-address` says of every interface: of IPv4, of both, and of both where the machine has both. */
const wildcards: ReadonlySet<string> = new Set(['0.0.0.0', '::', '']);

/** The bind address, or for a wildcard the machine's first address that others can reach, IPv4 before IPv6. */
export function reachableAddress(host: string, addresses: readonly InterfaceAddress[] = machineAddresses()): string {
  if (!wildcards.has(host)) return host;
  const reachable = addresses.filter(({ address, internal }) => !internal && !isLinkLocal(address));
  const families = host === '0.0.0.0' ? ['IPv4'] : ['IPv4', 'IPv6'];
  return families.flatMap((family) => reachable.find((one) => one.family === family) ?? [])[0]?.address ?? '127.0.0.1';
}

/** Names under which clients reach a server that listens at `host`. */
export function ownNames(host: string, addresses?: readonly InterfaceAddress[]): readonly string[] {
  const names = ['localhost', 'kubernetes', 'kubernetes.default', 'kubernetes.default.svc', '127.0.0.1', '::1', host, reachableAddress(host, addresses)];
  return [...new Set(names.filter((name) => !wildcards.has(name)))];
}

/** URL at which clients on this machine reach it. */
export function localUrl(host: string, port: number): string {
  return `https://${authority(wildcards.has(host) ? '127.0.0.1' : host, port)}`;
}

/** `host:port` that clients outside are told: `--external-hostname`, with the server's port where it has none of its own, or the address. */
export function externalAddress(externalHostname: string, address: string, port: number): string {
  if (externalHostname === '') return authority(address, port);
  return /:\d+$/.test(externalHostname) ? externalHostname : `${externalHostname}:${port}`;
}

function authority(address: string, port: number): string {
  return `${address.includes(':') ? `[${address}]` : address}:${port}`;
}

function isLinkLocal(address: string): boolean {
  return /^(169\.254\.|fe[89ab])/i.test(address);
}

function machineAddresses(): readonly InterfaceAddress[] {
  return Object.values(networkInterfaces()).flatMap((list) => list ?? []);
}
