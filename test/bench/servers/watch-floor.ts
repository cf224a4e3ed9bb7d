import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { configMapsPath, namespaces, nodeName, podName, podsPath } from '../workload/names.ts';

/** What the watch rows of the floor are made of. */
export interface WatchFloorOptions {
  /** Bytes of an event of a ConfigMap, and of a pod. */
  readonly configMapBytes: number;
  readonly podBytes: number;
  readonly pods: number;
}

/**
 * Serves the watch rows as cheaply as Node can: nothing is parsed, stored or matched; an update is a write of a ready
 * chunk to each socket that watches, one `write` to each.
 */
export function serveWatchFloor(app: FastifyInstance, { configMapBytes, podBytes, pods }: WatchFloorOptions): void {
  const configMaps = new Set<Socket>();
  const byNode = new Map<string, Socket>();
  const nodeOf = new Map(Array.from({ length: pods }, (_, index) => [podName(index), nodeName(index)]));
  const ofConfigMap = chunk(configMapBytes);
  const ofPod = chunk(podBytes);

  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.get<{ Querystring: { watch?: string } }>(configMapsPath(), (request, reply) => {
    if (request.query.watch === undefined) return reply.send(emptyList);
    reply.hijack();
    const socket = open(reply.raw);
    configMaps.add(socket);
    socket.once('close', () => configMaps.delete(socket));
  });
  app.get<{ Querystring: { fieldSelector: string } }>('/api/v1/pods', (request, reply) => {
    reply.hijack();
    const node = request.query.fieldSelector.replace('spec.nodeName=', '');
    const socket = open(reply.raw);
    byNode.set(node, socket);
    socket.once('close', () => byNode.delete(node));
  });
  app.get(podsPath(namespaces.nodes), (_request, reply) => reply.send(emptyList));
  for (const path of [configMapsPath(), podsPath(namespaces.nodes)])
    app.post(path, (_request, reply) => reply.code(201).send({}));
  app.put(`${configMapsPath()}/:name`, (_request, reply) => {
    for (const socket of configMaps) socket.write(ofConfigMap);
    return reply.send({});
  });
  app.patch<{ Params: { name: string } }>(`${podsPath(namespaces.nodes)}/:name`, (request, reply) => {
    byNode.get(nodeOf.get(request.params.name) ?? '')?.write(ofPod);
    return reply.send({});
  });
}

const emptyList = { metadata: { resourceVersion: '1' }, items: [] };

/** Sends the head of a stream, and gives its socket. */
function open(response: ServerResponse): Socket {
  response.setHeader('transfer-encoding', 'chunked');
  response.writeHead(200);
  response.flushHeaders();
  return response.socket!;
}

/** An event of so many bytes, framed as one chunk. */
function chunk(bytes: number): Buffer {
  const [head, tail] = ['{"type":"MODIFIED","object":"', '"}\n'];
  const event = `${head}${'x'.repeat(Math.max(0, bytes - head.length - tail.length))}${tail}`;
  return Buffer.from(`${event.length.toString(16)}\r\n${event}\r\n`, 'latin1');
}
