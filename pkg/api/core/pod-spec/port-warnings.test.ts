import assert from 'node:assert/strict';
import { create } from '../../kind-testing.ts';
import { pod } from '../pod/pod.ts';

/** Warnings of a pod with containers that have these ports. */
function warnings(...containers: readonly (readonly object[])[]): string[] {
  const spec = {
    containers: containers.map((ports, i) => ({
      name: `c${i}`,
      image: 'i',
      ports: ports.map((port) => ({ containerPort: 80, ...port })),
    })),
  };
  return pod.warnings!(create(pod, 'v1', { metadata: { name: 'p' }, spec }).object, undefined);
}
const at = (container: number, port = 0): string => `spec.containers[${container}].ports[${port}]`;

describe('warnings of ports', () => {
  const host = { hostPort: 90 };
  const ip = { hostIP: '192.0.2.1' };
  const cases: readonly (readonly [
    name: string,
    containers: readonly (readonly object[])[],
    expected: readonly string[],
  ])[] = [
    ['none of different ports', [[{}], [{ containerPort: 81 }]], []],
    ['none of different protocols', [[{}], [{ protocol: 'UDP' }]], []],
    ['none of different ports of the host', [[host], [{ hostPort: 91 }]], []],
    ['none of different addresses of the host', [[{ ...host, ...ip }], [{ ...host, hostIP: '192.0.2.2' }]], []],
    ['one port in several containers', [[{}], [{}]], [`${at(1)}: duplicate port definition with ${at(0)}`]],
    ['one port twice in a container', [[{}, {}]], [`${at(0, 1)}: duplicate port definition with ${at(0)}`]],
    [
      'each pair of three',
      [[{}], [{}], [{}]],
      [
        `${at(1)}: duplicate port definition with ${at(0)}`,
        `${at(2)}: duplicate port definition with ${at(0)}`,
        `${at(2)}: duplicate port definition with ${at(1)}`,
      ],
    ],
    [
      'one port, with and without a port of the host',
      [[host], [{}], [{ hostPort: 91 }]],
      [`${at(1)}: overlapping port definition with ${at(0)}`, `${at(2)}: overlapping port definition with ${at(1)}`],
    ],
    [
      'one port of the host, with and without an address',
      [[host], [{ ...host, ...ip }]],
      [`${at(1)}: dangerously ambiguous port definition with ${at(0)}`],
    ],
    [
      'the same the other way round',
      [[{ ...host, ...ip }], [host]],
      [`${at(1)}: dangerously ambiguous port definition with ${at(0)}`],
    ],
    [
      'one address and port of the host',
      [[{ ...host, ...ip }], [{ ...host, ...ip }]],
      [`${at(1)}: duplicate port definition with ${at(0)}`],
    ],
    [
      'an address without a port',
      [[{ ...ip, name: 'web' }]],
      [`${at(0)}: hostIP set without hostPort: {Name:web HostPort:0 ContainerPort:80 Protocol:TCP HostIP:192.0.2.1}`],
    ],
    [
      'an address without a port that overlaps',
      [[{ ...host, ...ip }], [ip]],
      [
        `${at(1)}: hostIP set without hostPort: {Name: HostPort:0 ContainerPort:80 Protocol:TCP HostIP:192.0.2.1}`,
        `${at(1)}: overlapping port definition with ${at(0)}`,
      ],
    ],
  ];
  for (const [name, containers, expected] of cases) it(name, () => assert.deepEqual(warnings(...containers), expected));

  it('are few however many ports overlap', () => {
    assert.equal(warnings(Array.from({ length: 2000 }, () => ({}))).length, 100);
    assert.equal(
      warnings(Array.from({ length: 2000 }, (_, i) => ({ hostPort: 90, hostIP: `192.0.${i >> 8}.${i & 255}` }))).length,
      0,
    );
  });
});
