import { namespaces } from '../workload/names.ts';
import { podJson } from '../workload/pod.ts';
import type { Measurement } from '../figures.ts';
import { loopCount, loopFor, type Operation } from './closed-loop.ts';
import { createOperation, jsonBody } from './create-operation.ts';
import { expectStatus } from './expect-status.ts';
import { HttpConnection } from './http-connection.ts';
import type { FloorJob, Job, RequestsJob } from './job.ts';
import { Meter } from './meter.ts';
import { requestOperations } from './request-operations.ts';
import { nodeWatchLoad, watchLoad } from './watch-load.ts';

/** Does one job on connections of its own and closes them. */
export async function runJob(job: Job): Promise<Measurement> {
  const connections = await Promise.all(
    Array.from({ length: job.connections }, () => HttpConnection.open(job.endpoint)),
  );
  try {
    return await runOn(job, connections);
  } finally {
    for (const connection of connections) connection.close();
  }
}

async function runOn(job: Job, connections: readonly HttpConnection[]): Promise<Measurement> {
  switch (job.kind) {
    case 'create':
      return await loopCount(createOperation(job.namespace), connections, job.count, new Meter(job.serverPid));
    case 'requests':
      return await runRequests(job, connections);
    case 'floor':
      return await loopFor(floorOperation(job), connections, job.seconds, new Meter(job.serverPid));
    case 'watch':
      return await watchLoad(job, connections);
    case 'node-watch':
      return await nodeWatchLoad(job, connections);
  }
}

async function runRequests(job: RequestsJob, connections: readonly HttpConnection[]): Promise<Measurement> {
  const { operation, verify } = requestOperations[job.row]({ pods: job.pods, connections: connections.length });
  await verify?.(connections[0]!);
  return await loopFor(operation, connections, job.seconds, new Meter(job.serverPid));
}

function floorOperation(job: FloorJob): Operation {
  if (!job.isCreate)
    return async (connection) => expectStatus(await connection.request('GET', job.path), 200, job.path).bytes;
  return async (connection, _lane, turn) =>
    expectStatus(await connection.request('POST', job.path, jsonBody, podJson(turn, namespaces.pods)), 201, job.path)
      .bytes;
}
