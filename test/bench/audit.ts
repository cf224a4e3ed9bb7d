/**
 * What it costs to write a get down at level Metadata, both of its events, in batches and without a file: microseconds
 * of CPU a request, in the median round and in the fastest of twenty. In most rounds a collection falls due, mostly of
 * what the benchmark's own requests left behind; the fastest ones have none. Run: node --import tsx test/bench/audit.ts
 * [REQUESTS]
 */
import { Auditor } from '../../pkg/audit/auditor.ts';
import { CountingObserver } from '../../pkg/audit/audit-testing.ts';
import { BatchingBackend } from '../../pkg/audit/batch/batching-backend.ts';
import type { AuditVersion, EventFormat } from '../../pkg/audit/events/event-format.ts';
import { EventSerializer } from '../../pkg/audit/events/event-serializer.ts';
import { PolicyIndex } from '../../pkg/audit/policy/policy-index.ts';
import { readPolicy } from '../../pkg/audit/policy/read-policy.ts';
import { auditRequests } from '../../pkg/server/filters/audit.ts';
import { requestOf } from '../../pkg/server/filters/filter-testing.ts';
import type { RequestContext } from '../../pkg/server/request/request-context.ts';
import { DeprecatedCertificates } from '../../pkg/webhooks/deprecated-certificates.ts';

const requests = Number(process.argv[2] ?? 2000);
const ROUNDS = 80;
/** In flight at once, as in `make bench`. */
const TOGETHER = 16;
const user = { name: 'bench', uid: '1', groups: ['system:authenticated'] };
const policy = new PolicyIndex(readPolicy('{apiVersion: audit.k8s.io/v1, kind: Policy, rules: [{level: Metadata}]}'));

let bytesWritten = 0;

function auditorWriting(format: EventFormat): Auditor {
  const observer = new CountingObserver();
  const sink = {
    write: async (bytes: Uint8Array) => void (bytesWritten += bytes.length),
    hurry: () => undefined,
    close: async () => undefined,
  };
  const serializer = new EventSerializer({
    format,
    partBytesMax: 1024 * 1024,
    report: (message) => {
      throw new Error(message);
    },
    elsewhere: () => Promise.reject(new Error('small batches stay here')),
  });
  const delivery = {
    plugin: 'log' as const,
    sink,
    serializer,
    observer,
    report: (message: string) => {
      throw new Error(message);
    },
  };
  const backend = new BatchingBackend(delivery, {
    bufferSize: 10_000,
    maxSize: 400,
    maxWaitMs: 30_000,
    inFlightMax: 1,
    closeMs: 1000,
    nowMs: Date.now,
  });
  return new Auditor({
    policy,
    backends: [backend],
    blocking: false,
    observer: {
      levelDecided: () => undefined,
      eventSent: () => undefined,
      requestRejected: () => undefined,
      webhookCertificates: new DeprecatedCertificates(),
      failed: observer.failed,
    },
  });
}

/** What happens to a request behind the audit filter, as far as its events tell. */
async function answer(context: RequestContext): Promise<void> {
  context.annotate('authorization.k8s.io/decision', 'allow');
  context.annotate(
    'authorization.k8s.io/reason',
    'RBAC: allowed by RoleBinding "bench/ns" of ClusterRole "edit" to User "bench"',
  );
  context.status = 200;
  await context.audit!.answering(200);
}

function requestsOfRound(): RequestContext[] {
  return Array.from({ length: requests }, (_, i) => {
    const { context } = requestOf(
      'GET',
      `/api/v1/namespaces/binnacle-bench-pods/pods/pod-${i}`,
      { 'user-agent': 'bench/1.0 (linux)' },
      user,
    );
    return context;
  });
}

async function microsPerRequest(version: AuditVersion): Promise<{ readonly median: number; readonly fastest: number }> {
  const auditor = auditorWriting({ kind: 'lines', version });
  const handler = auditRequests(auditor, (error) => {
    throw error;
  })(answer);
  const rounds: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const contexts = requestsOfRound();
    const before = process.cpuUsage();
    for (let i = 0; i < contexts.length; i += TOGETHER) await Promise.all(contexts.slice(i, i + TOGETHER).map(handler));
    const { user: own, system } = process.cpuUsage(before);
    rounds.push((own + system) / requests);
  }
  await auditor.close();
  const sorted = rounds.toSorted((a, b) => a - b);
  return { median: sorted[ROUNDS >> 1]!, fastest: sorted[Math.floor(ROUNDS / 20)]! };
}

console.log('version                     median    fastest');
for (const version of ['audit.k8s.io/v1', 'audit.k8s.io/v1beta1'] as const) {
  const { median, fastest } = await microsPerRequest(version);
  console.log(`${version.padEnd(24)}${median.toFixed(2).padStart(10)}${fastest.toFixed(2).padStart(11)}`);
}
console.log(`${Math.round(bytesWritten / (2 * 2 * ROUNDS * requests))} bytes an event`);
