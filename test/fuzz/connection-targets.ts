import assert from 'node:assert/strict';
import { byteRange } from '../../pkg/server/logs/byte-range.ts';
import { proxiedPath } from '../../pkg/server/connections/backend-path.ts';
import { requestHeaders, responseHeaders } from '../../pkg/server/connections/forwarded-headers.ts';
import { HtmlLinks } from '../../pkg/server/connections/html-links.ts';
import { rewriteLocation, type ProxiedPlace } from '../../pkg/server/connections/rewrite-location.ts';
import { requestOf } from '../../pkg/server/filters/filter-testing.ts';
import {
  podAttachOptions,
  podExecOptions,
  podPortForwardOptions,
  proxyOptions,
} from '../../pkg/server/connect/connect-options.ts';
import { agentLogQuery, checkLogOptions, podLogOptions } from '../../pkg/server/connect/log-options.ts';
import { proxyBackend } from '../../pkg/server/connect/proxy-backend.ts';
import { proxyTarget } from '../../pkg/server/connect/proxy-target.ts';
import { parseRequestInfo } from '../../pkg/server/request/request-info.ts';
import type { FuzzTarget } from './fuzz-target.ts';

const place: ProxiedPlace = {
  prefix: '/api/v1/nodes/n/proxy',
  backend: proxyBackend('http', '10.0.0.1', '8080'),
  sentHost: 'api:6443',
};

/** The page with its links rewritten, as it comes in pieces. */
function throughProxy(pieces: readonly Uint8Array[]): string {
  const links = new HtmlLinks({ rewrite: (reference) => rewriteLocation(reference, place), bytesMax: Infinity });
  const out: Buffer[] = [];
  const take = (_error: unknown, part?: Buffer): void => void out.push(part!);
  for (const piece of pieces) links._transform(Buffer.from(piece), 'utf8', take);
  links._flush(take);
  return Buffer.concat(out).toString('latin1');
}

/** Names and values in turn. */
const fieldsOf = (input: Buffer): string[] =>
  input
    .toString('latin1')
    .split('\n')
    .flatMap((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)]);

/** What goes through the server to nodes and pods, and what comes back. */
export const connectionTargets: readonly FuzzTarget[] = [
  {
    name: 'paths behind proxies',
    seeds: ['a/b/../c%2Fd//e/', './%2e%2e/..', 'x?y'],
    run(input) {
      const info = parseRequestInfo('GET', `/api/v1/namespaces/a/pods/b/proxy/${input.toString('latin1')}`, false);
      if (!info.isResource) return undefined;
      const { prefix, tail } = proxiedPath(info);
      assert.equal(prefix, '/api/v1/namespaces/a/pods/b/proxy');
      assert.ok(
        tail === '' ||
          (tail.startsWith('/') &&
            !tail.split('/').some((segment) => ['..', '.'].includes(decodeURIComponent(segment)))),
        tail,
      );
      return proxyOptions('PodProxyOptions', info);
    },
  },
  {
    name: 'targets of proxies',
    seeds: ['https:web:8443', 'web:80', 'web'],
    run(input) {
      const { scheme, port } = proxyTarget('pod', input.toString());
      const backend = proxyBackend(scheme, '10.0.0.1', port);
      assert.ok(Number.isInteger(backend.port) && backend.port > 0 && backend.port < 65_536, String(backend.port));
    },
  },
  {
    name: 'redirects of backends',
    seeds: ['http://10.0.0.1:8080/a?b#c', '//api:6443/x', '/api/v1/nodes/n/proxy/y', 'https://elsewhere/'],
    run: (input) => rewriteLocation(input.toString('latin1'), place),
  },
  {
    name: 'HTML pages',
    seeds: [
      '<!doctype html><a href="/a" title=\'b>c\'>d</a><!-- <img src="/e"> --><IMG SRC=/f />',
      '<script src="/a">"<a href=\'/b\'>"</script><title></title><form action="http://10.0.0.1:8080/c"><base href=/>',
    ],
    run(input) {
      const whole = throughProxy([input]);
      const middle = input.length >> 1;
      assert.equal(throughProxy([input.subarray(0, middle), input.subarray(middle)]), whole, 'a page in pieces');
      assert.ok(whole.length >= input.length, 'something was lost');
    },
  },
  {
    name: 'headers of backends',
    seeds: ['Connection: close, x-a\nX-A: 1\nSet-Cookie: a=b\nLocation: /'],
    run: (input) => responseHeaders(fieldsOf(input)),
  },
  {
    name: 'headers that go on to backends',
    seeds: [
      'Host: api\nConnection: x-own, host\nSec-WebSocket-Protocol: base64url.bearer.authorization.k8s.io.YQ, v4.channel.k8s.io\nX-Forwarded-For: 10.0.0.9',
    ],
    run(input) {
      const { context } = requestOf('GET', '/');
      Object.assign(context.request, { rawHeaders: fieldsOf(input) });
      const names = Object.keys(requestHeaders(context));
      assert.ok(
        !names.some(
          (name) => name === 'authorization' || name.startsWith('impersonate-') || name.startsWith('x-remote-'),
        ),
        names.join(),
      );
    },
  },
  {
    name: 'options of streams',
    seeds: ['command=sh&command=-c&container=c&stdin=true&stdout=1&tty=false', 'ports=80&ports=81,82'],
    run(input) {
      const query = new URLSearchParams(input.toString());
      return [podExecOptions(query), podAttachOptions(query), podPortForwardOptions(query)];
    },
  },
  {
    name: 'options of logs',
    seeds: ['follow=true&tailLines=10&sinceTime=2026-01-02T03:04:05Z&container=c&limitBytes=5&previous=1'],
    run(input) {
      const options = podLogOptions(new URLSearchParams(input.toString()));
      checkLogOptions(options, 'web');
      return agentLogQuery(options);
    },
  },
  {
    name: 'ranges of files',
    seeds: ['bytes=0-99', 'bytes=-5', 'bytes=10-'],
    run(input) {
      const range = byteRange(input.toString('latin1'), 100);
      if (typeof range === 'object')
        assert.ok(range.first >= 0 && range.first <= range.last && range.last < 100, `${range.first}-${range.last}`);
    },
  },
];
