import { notNegative, urlWith } from '../checks.ts';
import { optionGroup } from '../option.ts';

const oneStream = 'the log is lines of JSON on standard error';

/** Options of logs, metrics, traces and profiles. */
export const observabilityOptions = optionGroup('Observability', [
  {
    name: 'v',
    type: 'int',
    default: '0',
    check: notNegative,
    help: 'Verbosity of the log: 0 info, 3 also a line per request, 4 debug, 6 trace',
  },
  {
    name: 'log-flush-frequency',
    type: 'duration',
    default: '5s',
    inert: 'every line is written at once',
    help: 'Longest time for which lines of the log stay in memory',
  },
  {
    name: 'profiling',
    type: 'bool',
    default: 'true',
    help: 'CPU and heap profiles under /debug/pprof/, for those who may read that path: by default administrators alone',
  },
  { name: 'contention-profiling', type: 'bool', help: 'Delays of the event loop under /debug/pprof/block as well' },
  { name: 'enable-logs-handler', type: 'bool', default: 'true', help: 'Serve the files of /var/log under /logs/' },
  {
    name: 'enable-apidoc-ui',
    aliases: ['enable-swagger-ui'],
    type: 'bool',
    default: 'false',
    help: 'Serve a page to browse the API under /apidoc/',
  },
  {
    name: 'tracing-otlp-endpoint',
    type: 'string',
    check: urlWith('http', 'https'),
    help: 'URL of an OpenTelemetry collector (OTLP over HTTP) that receives a span per request',
  },
  { name: 'logtostderr', type: 'bool', default: 'true', inert: oneStream, help: 'Log to standard error' },
  { name: 'alsologtostderr', type: 'bool', inert: oneStream, help: 'Log to standard error besides files' },
  {
    name: 'stderrthreshold',
    type: 'string',
    inert: oneStream,
    help: 'Level from which lines also go to standard error',
  },
  { name: 'log-dir', type: 'string', inert: oneStream, help: 'Directory of log files' },
  { name: 'log-file', type: 'string', inert: oneStream, help: 'Log file' },
  { name: 'log-file-max-size', type: 'uint', inert: oneStream, help: 'Megabytes of the log file' },
  { name: 'skip-headers', type: 'bool', inert: oneStream, help: 'Leave the headers of lines out' },
  { name: 'skip-log-headers', type: 'bool', inert: oneStream, help: 'Leave the headers of log files out' },
  { name: 'add-dir-header', type: 'bool', inert: oneStream, help: 'Directory of the source in lines' },
  { name: 'one-output', type: 'bool', inert: oneStream, help: 'One file per level' },
  {
    name: 'log-backtrace-at',
    type: 'string',
    inert: 'errors carry their stack',
    help: 'Line of the source whose log lines get a stack',
  },
  {
    name: 'vmodule',
    type: 'string',
    inert: 'verbosity is one for the whole server',
    help: 'Verbosity of single files',
  },
  { name: 'logging-format', type: 'string', default: 'json', inert: oneStream, help: 'Form of the log' },
  {
    name: 'allow-metric-labels',
    type: 'mapStringString',
    whole: true,
    inert: 'labels stay as they are',
    help: 'Values that labels of metrics may have',
  },
  { name: 'disabled-metrics', type: 'stringSlice', inert: 'all metrics are there', help: 'Metrics that are left out' },
  {
    name: 'show-hidden-metrics-for-version',
    type: 'string',
    inert: 'no metric is hidden',
    help: 'Release whose hidden metrics are shown',
  },
]);
