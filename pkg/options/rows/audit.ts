import { notNegative, oneOf } from '../checks.ts';
import { optionGroup, type OptionRow } from '../option.ts';

const versions = oneOf('audit.k8s.io/v1', 'audit.k8s.io/v1beta1');
const modes = oneOf('blocking', 'blocking-strict', 'batch');

/** Rows of both sinks, with their different defaults. */
function sinkRows(
  sink: 'log' | 'webhook',
  defaults: { readonly mode: string; readonly throttle: string },
): readonly OptionRow[] {
  const of = sink === 'log' ? 'log file' : 'webhook';
  return [
    {
      name: `audit-${sink}-mode`,
      type: 'string',
      default: defaults.mode,
      check: modes,
      help: `blocking: an answer waits until its events are with the ${of}, blocking-strict: and fails when they cannot be written; batch: events are gathered and sent later`,
    },
    {
      name: `audit-${sink}-version`,
      type: 'string',
      default: 'audit.k8s.io/v1beta1',
      check: versions,
      help: `Group and version of the events for the ${of}: audit.k8s.io/v1 or audit.k8s.io/v1beta1`,
    },
    {
      name: `audit-${sink}-batch-buffer-size`,
      type: 'int',
      default: '10000',
      check: notNegative,
      help: `Events for the ${of} kept before they are batched; more are dropped and counted`,
    },
    {
      name: `audit-${sink}-batch-max-size`,
      type: 'int',
      default: '400',
      check: notNegative,
      help: 'Most events of one batch',
    },
    {
      name: `audit-${sink}-batch-max-wait`,
      type: 'duration',
      default: '30s',
      help: 'Longest wait for a batch to become full',
    },
    {
      name: `audit-${sink}-batch-throttle-burst`,
      type: 'int',
      default: '15',
      check: notNegative,
      help: 'Batches sent at once after a time of rest',
    },
    {
      name: `audit-${sink}-batch-throttle-enable`,
      type: 'bool',
      default: defaults.throttle,
      help: 'Whether the rate of batches is bounded',
    },
    {
      name: `audit-${sink}-batch-throttle-qps`,
      type: 'float32',
      default: '10',
      check: notNegative,
      help: 'Batches per second on average',
    },
    {
      name: `audit-${sink}-truncate-enabled`,
      type: 'bool',
      default: 'false',
      help: 'Whether large events are cut and large batches split',
    },
    {
      name: `audit-${sink}-truncate-max-batch-size`,
      type: 'int',
      default: '10485760',
      check: notNegative,
      help: 'Bytes from which a batch is split',
    },
    {
      name: `audit-${sink}-truncate-max-event-size`,
      type: 'int',
      default: '102400',
      check: notNegative,
      help: 'Bytes from which an event loses request and response, and is dropped when that does not help',
    },
  ];
}

/** Options of auditing. */
export const auditOptions = optionGroup('Audit', [
  {
    name: 'audit-policy-file',
    type: 'string',
    file: true,
    help: 'What is written down at which level; nothing is without it (feature AdvancedAuditing)',
  },
  { name: 'audit-log-path', type: 'string', help: 'File that gets the events; - is standard output' },
  {
    name: 'audit-log-format',
    type: 'string',
    default: 'json',
    check: oneOf('json', 'legacy'),
    help: 'json, or legacy: one line of text per event',
  },
  { name: 'audit-log-maxage', type: 'int', check: notNegative, help: 'Days for which old files are kept; 0: for ever' },
  { name: 'audit-log-maxbackup', type: 'int', check: notNegative, help: 'Old files kept; 0: all' },
  {
    name: 'audit-log-maxsize',
    type: 'int',
    check: notNegative,
    help: 'Megabytes at which a new file is begun; 0: 100',
  },
  { name: 'audit-log-compress', type: 'bool', default: 'false', help: 'Old files are compressed with gzip' },
  ...sinkRows('log', { mode: 'blocking', throttle: 'false' }),
  {
    name: 'audit-webhook-config-file',
    type: 'string',
    file: true,
    help: 'Cluster-config file of the service that gets the events (feature AdvancedAuditing)',
  },
  {
    name: 'audit-webhook-initial-backoff',
    aliases: ['audit-webhook-batch-initial-backoff'],
    type: 'duration',
    default: '10s',
    help: 'Wait before a failed batch is sent again',
  },
  ...sinkRows('webhook', { mode: 'batch', throttle: 'true' }),
]);
