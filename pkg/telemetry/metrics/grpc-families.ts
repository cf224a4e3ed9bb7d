import type { GrpcCallCounts, GrpcMethodCounts } from '../../storage/etcd/grpc-call-counts.ts';
import type { Labels, MetricFamily, Sample } from './metric-family.ts';

/** Names of gRPC's status codes, by number. */
const codeNames: readonly string[] = [
  'OK',
  'Canceled',
  'Unknown',
  'InvalidArgument',
  'DeadlineExceeded',
  'NotFound',
  'AlreadyExists',
  'PermissionDenied',
  'ResourceExhausted',
  'FailedPrecondition',
  'Aborted',
  'OutOfRange',
  'Unimplemented',
  'Internal',
  'Unavailable',
  'DataLoss',
  'Unauthenticated',
];

/** The calls to etcd under the metric names of gRPC clients. */
export function grpcFamilies(calls: GrpcCallCounts): readonly MetricFamily[] {
  const each = (value: (counts: GrpcMethodCounts) => number) => (): Sample[] =>
    [...calls.all].map((counts) => ({ labels: labelsOf(counts), value: value(counts) }));
  return [
    {
      name: 'grpc_client_started_total',
      type: 'counter',
      help: 'Calls to etcd that were begun, by method.',
      samples: each(({ started }) => started),
    },
    {
      name: 'grpc_client_handled_total',
      type: 'counter',
      help: 'Calls to etcd that are over, by method and status.',
      samples: () =>
        [...calls.all].flatMap((counts) =>
          [...counts.handled].map(([code, value]): Sample => ({
            labels: { grpc_code: codeNames[code] ?? 'Unknown', ...labelsOf(counts) },
            value,
          })),
        ),
    },
    {
      name: 'grpc_client_msg_sent_total',
      type: 'counter',
      help: 'Messages that were sent to etcd, by method.',
      samples: each(({ messagesSent }) => messagesSent),
    },
    {
      name: 'grpc_client_msg_received_total',
      type: 'counter',
      help: 'Messages that came from etcd, by method.',
      samples: each(({ messagesReceived }) => messagesReceived),
    },
  ];
}

function labelsOf({ method, service, type }: GrpcMethodCounts): Labels {
  return { grpc_method: method, grpc_service: service, grpc_type: type };
}
