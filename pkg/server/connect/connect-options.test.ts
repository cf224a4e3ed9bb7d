import assert from 'node:assert/strict';
import { parseRequestInfo } from '../request/request-info.ts';
import { podAttachOptions, podExecOptions, podPortForwardOptions, proxyOptions } from './connect-options.ts';

describe('options of connections', () => {
  const query = (text: string) => new URLSearchParams(text);

  it('of exec contain the command, and the requested streams', () => {
    assert.deepEqual(
      podExecOptions(query('command=sh&command=-c&command=ls%20-l&container=c&stdin=true&stdout=true&stderr=1&tty=1')),
      {
        kind: 'PodExecOptions',
        apiVersion: 'v1',
        stdin: true,
        stdout: true,
        stderr: true,
        tty: true,
        container: 'c',
        command: ['sh', '-c', 'ls -l'],
      },
    );
    assert.deepEqual(podExecOptions(query('stderr=0')), { kind: 'PodExecOptions', apiVersion: 'v1', command: [] });
  });

  it('of attach are those of exec without a command', () => {
    assert.deepEqual(podAttachOptions(query('command=sh&stdout=1&stderr=false')), {
      kind: 'PodAttachOptions',
      apiVersion: 'v1',
      stdout: true,
    });
  });

  it('of portforward are ports', () => {
    assert.deepEqual(podPortForwardOptions(query('ports=80&ports=81,82')), {
      kind: 'PodPortForwardOptions',
      apiVersion: 'v1',
      ports: [80, 81, 82],
    });
    assert.deepEqual(podPortForwardOptions(query('')), { kind: 'PodPortForwardOptions', apiVersion: 'v1' });
    const problem = (text: string, reason: string): void =>
      assert.throws(
        () => podPortForwardOptions(query(`ports=${text}`)),
        { code: 400, message: `cannot convert to []int32: strconv.ParseUint: parsing ${reason}` },
        text,
      );
    for (const text of ['x', '', '-1', '1.5', '0x10']) problem(text, `"${text}": invalid syntax`);
    problem('80,', '"": invalid syntax');
    for (const text of ['65536', '99999999999999999999']) problem(text, `"${text}": value out of range`);
    assert.deepEqual(podPortForwardOptions(query('ports=0&ports=65535')).ports, [0, 65_535]);
  });

  it('of proxies are a path', () => {
    const options = (path: string) =>
      proxyOptions('NodeProxyOptions', parseRequestInfo('GET', `/api/v1/nodes/n/proxy${path}`, false));
    assert.deepEqual(options('/stats/summary'), { kind: 'NodeProxyOptions', apiVersion: 'v1', path: '/stats/summary' });
    assert.deepEqual(options('/stats/'), { kind: 'NodeProxyOptions', apiVersion: 'v1', path: '/stats/' });
    assert.deepEqual(options('/'), { kind: 'NodeProxyOptions', apiVersion: 'v1', path: '/' });
    assert.deepEqual(options(''), { kind: 'NodeProxyOptions', apiVersion: 'v1' });
  });
});
