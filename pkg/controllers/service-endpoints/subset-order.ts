/**
 * The order of subsets and of their ports in Endpoints as stock controllers write it: by the MD5 of a dump of the Go
 * value (go-spew, `%#v`). Nothing but the order depends on it; a program that takes over finds what it would write.
 */
import { createHash } from 'node:crypto';
import type { EndpointAddress, EndpointPort, EndpointSubset } from '../../generated/types/core-v1.ts';
import { byText } from './order.ts';

const NIL = '<nil>';

/** Addresses by IP and then by the uid of what they stand for; ports and subsets by hash. */
export function inStockOrder(subsets: readonly EndpointSubset[]): EndpointSubset[] {
  const ordered = subsets.map(({ addresses, notReadyAddresses, ports }) => ({
    ...(isEmpty(addresses) ? {} : { addresses: addresses!.toSorted(byAddress) }),
    ...(isEmpty(notReadyAddresses) ? {} : { notReadyAddresses: notReadyAddresses!.toSorted(byAddress) }),
    ...(isEmpty(ports) ? {} : { ports: byHash(ports!, (port) => `(v1.EndpointPort)${dumpPort(port)}`) }),
  }));
  return byHash(ordered, dumpSubset);
}

function isEmpty(list: readonly unknown[] | undefined): boolean {
  return (list ?? []).length === 0;
}

function byAddress(a: EndpointAddress, b: EndpointAddress): number {
  return byText(a.ip, b.ip) || byText(a.targetRef?.uid ?? '', b.targetRef?.uid ?? '');
}

function byHash<T>(items: readonly T[], dump: (item: T) => string): T[] {
  if (items.length < 2) return [...items];
  const hashed = items.map((item) => ({ item, hash: createHash('md5').update(dump(item)).digest('hex') }));
  return hashed.sort((a, b) => byText(a.hash, b.hash)).map(({ item }) => item);
}

function dumpSubset({ addresses, notReadyAddresses, ports }: EndpointSubset): string {
  const [ready, notReady] = [dumpList(addresses, dumpAddress), dumpList(notReadyAddresses, dumpAddress)];
  const listed = dumpList(ports, dumpPort);
  return `(v1.EndpointSubset){Addresses:([]v1.EndpointAddress)${ready} NotReadyAddresses:([]v1.EndpointAddress)${notReady} Ports:([]v1.EndpointPort)${listed}}`;
}

function dumpList<T>(items: readonly T[] | undefined, dump: (item: T) => string): string {
  return items === undefined ? NIL : `[${items.map(dump).join(' ')}]`;
}

function dumpAddress({ ip, hostname = '', nodeName = NIL, targetRef }: EndpointAddress): string {
  return `{IP:(string)${ip} Hostname:(string)${hostname} NodeName:(*string)${nodeName} TargetRef:(*v1.ObjectReference)${dumpReference(targetRef)}}`;
}

function dumpReference(reference: EndpointAddress['targetRef']): string {
  if (reference === undefined) return NIL;
  const { kind = '', namespace = '', name = '', uid = '', apiVersion = '', resourceVersion = '' } = reference;
  return `{Kind:(string)${kind} Namespace:(string)${namespace} Name:(string)${name} UID:(types.UID)${uid} APIVersion:(string)${apiVersion} ResourceVersion:(string)${resourceVersion} FieldPath:(string)${reference.fieldPath ?? ''}}`;
}

function dumpPort({ name = '', port, protocol = '', appProtocol = NIL }: EndpointPort): string {
  return `{Name:(string)${name} Port:(int32)${port} Protocol:(v1.Protocol)${protocol} AppProtocol:(*string)${appProtocol}}`;
}
