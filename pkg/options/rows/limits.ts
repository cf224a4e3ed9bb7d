import { longerThanZero, notNegative } from '../checks.ts';
import { optionGroup } from '../option.ts';

/** Options of limits and timeouts. */
export const limitsOptions = optionGroup('Limits', [
  {
    name: 'max-requests-inflight',
    type: 'int',
    default: '400',
    check: notNegative,
    help: 'Requests in flight at once that change nothing; more are refused; 0: no limit',
  },
  {
    name: 'max-mutating-requests-inflight',
    type: 'int',
    default: '200',
    check: notNegative,
    help: 'Requests in flight at once that change something; more are refused; 0: no limit',
  },
  {
    name: 'request-timeout',
    type: 'duration',
    default: '1m0s',
    check: longerThanZero,
    help: 'How long a request may take',
  },
  {
    name: 'min-request-timeout',
    type: 'int',
    default: '1800',
    check: notNegative,
    help: 'Least time in seconds that a watch without a timeout in its request stays open; the actual one is drawn between this and twice this; 0: no end',
  },
  {
    name: 'max-watches-per-user',
    type: 'int',
    default: '100000',
    check: notNegative,
    help: 'Watches of one user open at once; more are refused; 0: no limit',
  },
  {
    name: 'max-watch-bytes-per-user',
    type: 'int',
    default: '268435456',
    check: notNegative,
    help: "Bytes that one user's watches may take in selectors and in events that clients have not taken; more are refused or ended; 0: no limit",
  },
  {
    name: 'max-connection-bytes-per-sec',
    type: 'int',
    check: notNegative,
    help: 'Bytes per second, each way, for the long-running requests (watches, logs, exec, attach, port-forward, proxies) of one connection; 0: no limit',
  },
  {
    name: 'delete-collection-workers',
    type: 'int',
    default: '1',
    check: notNegative,
    help: 'Objects of one collection deleted at once; 0 is 1',
  },
  {
    name: 'goaway-chance',
    type: 'float32',
    check: upToAFiftieth,
    help: 'Share of HTTP/2 requests after which the client is asked to connect again',
  },
  {
    name: 'shutdown-delay-duration',
    type: 'duration',
    help: 'How long the server continues to serve, but is not ready, after the signal to stop',
  },
  {
    name: 'shutdown-send-retry-after',
    type: 'bool',
    default: 'false',
    inert: 'after the delay, requests are always answered 503 with `Retry-After`',
    help: 'Send clients away while the server stops',
  },
  {
    name: 'livez-grace-period',
    type: 'duration',
    inert: 'the server answers once it is ready',
    help: 'How long /livez says well while the server starts',
  },
  {
    name: 'enable-priority-and-fairness',
    type: 'bool',
    default: 'true',
    help: 'Give requests seats by priority levels and queue them fairly, as many as the two in-flight limits together; without it each limit counts separately',
  },
]);

function upToAFiftieth(value: string): string | undefined {
  return Number(value) >= 0 && Number(value) <= 0.02 ? undefined : 'must be from 0 to 0.02';
}
