import { applicationOf, namespaces, podName, podsPath } from '../workload/names.ts';
import { touchedAnnotation, touchedValue } from '../workload/pod.ts';
import type { Operation } from './closed-loop.ts';
import { jsonBody } from './create-operation.ts';
import { expectStatus } from './expect-status.ts';
import type { HttpConnection } from './http-connection.ts';
import type { RequestRowName } from './job.ts';

export interface Sizes {
  readonly pods: number;
  readonly connections: number;
}

/** A row's operation, and a check before it is measured that answers hold what the row is about. */
export interface RequestOperation {
  readonly operation: Operation;
  readonly verify?: (connection: HttpConnection) => Promise<void>;
}

const pods = podsPath(namespaces.pods);
export const acceptProtobuf = 'Accept: application/vnd.kubernetes.protobuf\r\n';
const acceptTable = 'Accept: application/json;as=Table;v=v1;g=meta.k8s.io,application/json\r\n';
/** Less than any pod of the workload takes in protobuf. */
export const podProtobufBytesMin = 1000;

export const requestOperations: Readonly<Record<RequestRowName, (sizes: Sizes) => RequestOperation>> = {
  'get-json': (sizes) => ({ operation: getPod(sizes, 'Accept: application/json\r\n') }),
  'get-protobuf': (sizes) => ({ operation: getPod(sizes, acceptProtobuf) }),
  'list-json': (sizes) => listOf('items', sizes.pods, pods, ''),
  'list-json-rv0': (sizes) => listOf('items', sizes.pods, `${pods}?resourceVersion=0`, ''),
  'list-protobuf-rv0': (sizes) => listProtobuf(sizes.pods, `${pods}?resourceVersion=0`),
  'list-label': (sizes) => {
    const app = applicationOf(1);
    const matching = Array.from({ length: sizes.pods }, (_, index) => applicationOf(index)).filter(
      (each) => each === app,
    ).length;
    return listOf('items', matching, `${pods}?labelSelector=app%3D${app}`, '');
  },
  'table-chunk': (sizes) => {
    const limit = Math.ceil(sizes.pods / 6);
    return listOf('rows', limit, `${pods}?limit=${limit}`, acceptTable);
  },
  'merge-patch': (sizes) => ({
    operation: patchPod(
      sizes,
      'application/merge-patch+json',
      (value) => `{"metadata":{"annotations":{"${touchedAnnotation}":"${value}"}}}`,
    ),
  }),
  'json-patch': (sizes) => ({
    operation: patchPod(
      sizes,
      'application/json-patch+json',
      (value) => `[{"op":"replace","path":"/metadata/annotations/${touchedAnnotation}","value":"${value}"}]`,
    ),
  }),
  'get-replace': (sizes) => ({ operation: getThenReplace(sizes) }),
};

/**
 * Each lane has pods of its own, so that writers never conflict, and jumps between them, so that no cache sees a
 * sequence.
 */
function podPathOf({ pods: count, connections }: Sizes, lane: number, turn: number): string {
  const own = Math.floor(count / connections);
  return `${pods}/${podName(lane * own + ((turn * 7919) % own))}`;
}

function getPod(sizes: Sizes, headers: string): Operation {
  return async (connection, lane, turn) =>
    expectStatus(await connection.request('GET', podPathOf(sizes, lane, turn), headers), 200, 'get a pod').bytes;
}

function list(path: string, headers: string): Operation {
  return async (connection) => expectStatus(await connection.request('GET', path, headers), 200, path).bytes;
}

function listOf(field: 'items' | 'rows', count: number, path: string, headers: string): RequestOperation {
  const verify = async (connection: HttpConnection): Promise<void> => {
    const { body } = expectStatus(await connection.request('GET', path, headers, '', true), 200, path);
    const found = (JSON.parse(body ?? '') as Partial<Record<typeof field, unknown[]>>)[field]?.length;
    if (found !== count) throw new Error(`${path} has ${found} ${field} instead of ${count}`);
  };
  return { operation: list(path, headers), verify };
}

function listProtobuf(count: number, path: string): RequestOperation {
  const operation = list(path, acceptProtobuf);
  const verify = async (connection: HttpConnection): Promise<void> => {
    const bytes = await operation(connection, 0, 0);
    if (bytes < count * podProtobufBytesMin) throw new Error(`${path} has ${bytes} bytes, too few for ${count} pods`);
  };
  return { operation, verify };
}

function patchPod(sizes: Sizes, contentType: string, patch: (value: string) => string): Operation {
  const headers = `Content-Type: ${contentType}\r\n`;
  // Counted from 1: a patch that changes nothing is not written.
  return async (connection, lane, turn) =>
    expectStatus(
      await connection.request('PATCH', podPathOf(sizes, lane, turn), headers, patch(touchedValue(turn + 1))),
      200,
      'patch a pod',
    ).bytes;
}

function getThenReplace(sizes: Sizes): Operation {
  const marker = `"${touchedAnnotation}":"`;
  return async (connection, lane, turn) => {
    const path = podPathOf(sizes, lane, turn);
    const { body = '', bytes } = expectStatus(await connection.request('GET', path, '', '', true), 200, 'get a pod');
    const at = body.indexOf(marker);
    if (at < 0) throw new Error(`${path} has no annotation ${touchedAnnotation}`);
    const digits = at + marker.length;
    // Differs from what the patch rows left: those count from 1.
    const value = touchedValue(5e7 + turn);
    const changed = body.slice(0, digits) + value + body.slice(digits + value.length);
    return bytes + expectStatus(await connection.request('PUT', path, jsonBody, changed), 200, 'replace a pod').bytes;
  };
}
