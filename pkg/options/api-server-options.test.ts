import assert from 'node:assert/strict';
import { getCiphers } from 'node:tls';
import { apiServerOptions } from './api-server-options.ts';
import { cipherSuiteNames, openSslCipher } from './cipher-suites.ts';
import { readOptions } from './parse-options.ts';

const problems = (...args: string[]): readonly string[] => readOptions(apiServerOptions, 'up', args).problems;

describe('the options of the API server', () => {
  const values: readonly (readonly [good: string, bad: string, rule: string])[] = [
    ['--bind-address=::1', '--bind-address=localhost', 'must be an IP address'],
    ['--bind-address=', '--bind-address=1.2.3', 'must be an IP address'],
    ['--advertise-address=::ffff:192.0.2.2', '--advertise-address=169.254.10.10', 'must not be link-local'],
    ['--advertise-address=0.0.0.0', '--advertise-address=fe80::1', 'must not be link-local'],
    ['--advertise-address=', '--advertise-address=224.0.0.1', 'must not be multicast'],
    ['--advertise-address=127.0.0.1', '--advertise-address=ff02::1', 'must not be multicast'],
    ['--advertise-address=FD00::2', '--advertise-address=fe80::1%eth0', 'must be an IP address without a zone'],
    [
      '--service-cluster-ip-range=10.1.0.0/16',
      '--service-cluster-ip-range=10.1.0.0',
      'must be a range such as 10.0.0.0/24',
    ],
    ['--service-cluster-ip-range=10.0.0.0/12', '--service-cluster-ip-range=10.0.0.0/11', 'must not be larger than /12'],
    [
      '--service-cluster-ip-range=fd00::/108',
      '--service-cluster-ip-range=10.0.0.0/30',
      'must hold at least 8 addresses',
    ],
    [
      '--service-cluster-ip-range=fd00::/112, 10.0.0.0/16',
      '--service-cluster-ip-range=10.0.0.0/16,10.1.0.0/16',
      'must be one range, or one of IPv4 and one of IPv6',
    ],
    [
      '--service-cluster-ip-range=10.0.0.0/16,fd00::/64',
      '--service-cluster-ip-range=10.0.0.0/16,fd00::/63',
      'must not be larger than /64',
    ],
    [
      '--service-cluster-ip-range=10.0.0.0/16',
      '--service-cluster-ip-range=10.0.0.0/16,',
      'must be a range such as 10.0.0.0/24',
    ],
    [
      '--service-node-port-range=1-65535',
      '--service-node-port-range=200-100',
      'must go from a lower to a higher port, at most 65535',
    ],
    ['--service-node-port-range=30000', '--service-node-port-range=30000-', 'must be a range such as 30000-32767'],
    ['--secure-port=0', '--secure-port=65536', 'must be a port from 0 to 65535'],
    ['--event-ttl=1h30m', '--event-ttl=1', 'must be a duration such as 30s or 5m0s'],
    ['--request-timeout=1ms', '--request-timeout=0s', 'must be above 0'],
    ['--nodeagent-timeout=1ms', '--nodeagent-timeout=0s', 'must be above 0'],
    [
      '--storage-backend=embedded',
      '--storage-backend=etcd2',
      'etcd2 is no longer supported: migrate the data to etcd3 with the tools of etcd 3.4 first',
    ],
    ['--storage-backend=embedded', '--storage-backend=sql', 'must be etcd3 or embedded'],
    [
      '--store-servers-overrides=/events#https://a:1;https://b:2',
      '--store-servers-overrides=events#http://a:1',
      'must be group/resource#servers, the servers separated by semicolons',
    ],
    [
      '--store-servers-overrides=apps/deployments#http://a:1',
      '--store-servers-overrides=/events#http://a:1;b',
      'must be a URL that begins with http:// or https://',
    ],
    [
      '--store-servers-overrides=/events#http://a:1,/pods#https://b:2',
      '--store-servers-overrides=/events#http://a:1;https://b:2',
      'all must have TLS, or none: http:// and https:// cannot be mixed',
    ],
    [
      '--watch-cache-sizes=deployments.apps#5',
      '--watch-cache-sizes=pods=5',
      'must be resource[.group]#size, such as deployments.apps#500',
    ],
    ['--default-watch-cache-size=0', '--default-watch-cache-size=-1', 'must not be negative'],
    [
      '--storage-media-type=application/yaml',
      '--storage-media-type=text/plain',
      'must be one of application/vnd.kubernetes.protobuf, application/json, application/yaml',
    ],
    ['--v=6', '--v=-1', 'must not be negative'],
    ['--v=6', '--v=99999999999999999999', 'must be a whole number'],
    ['--kubelet-read-only-port=0', '--nodeagent-read-only-port=-1', 'must be a whole number of 0 or more'],
    ['--audit-log-batch-throttle-qps=0.5', '--audit-log-batch-throttle-qps=ten', 'must be a number'],
    [
      '--audit-log-version=audit.k8s.io/v1',
      '--audit-log-version=v1',
      'must be one of audit.k8s.io/v1, audit.k8s.io/v1beta1',
    ],
    ['--apiserver-count=3', '--apiserver-count=0', 'must be above 0'],
    ['--endpoint-reconciler-type=none', '--endpoint-reconciler-type=some', 'must be one of lease, master-count, none'],
    [
      '--tls-min-version=VersionTLS12',
      '--tls-min-version=1.2',
      'must be one of VersionTLS10, VersionTLS11, VersionTLS12, VersionTLS13',
    ],
    [
      '--http2-max-streams-per-connection=4294967295',
      '--http2-max-streams-per-connection=4294967296',
      'must be from 0 to 4294967295',
    ],
    ['--http2-max-streams-per-connection=0', '--http2-max-streams-per-connection=-1', 'must be from 0 to 4294967295'],
    [
      '--tls-sni-cert-key=a.pem,b.pem:*.example.com,c',
      '--tls-sni-cert-key=a.pem',
      'must be certificate,key or certificate,key:pattern,pattern',
    ],
    [
      '--cors-allowed-origins=^https://',
      '--cors-allowed-origins=(',
      'must be a regular expression: there is a ( without its )',
    ],
    [
      '--cors-allowed-origins=(?i)//example\\.com(:|\\z)',
      '--cors-allowed-origins=(?!evil)',
      'must be a regular expression: there is no such kind of group',
    ],
    [
      '--enable-admission-plugins=PodPreset',
      '--authorization-mode=rbac',
      'must be one of AlwaysAllow, AlwaysDeny, ABAC, Webhook, RBAC, Node',
    ],
    [
      '--oidc-signing-algs=ES256,PS512',
      '--oidc-signing-algs=HS256',
      'must be one of RS256, RS384, RS512, ES256, ES384, ES512, PS256, PS384, PS512',
    ],
    ['--service-account-issuer=me', '--service-account-issuer=://x', 'must be a URI, or a text without a colon'],
    [
      '--service-account-max-token-expiration=0s',
      '--service-account-max-token-expiration=59m59s',
      'must be from 1 hour to 2^32 seconds, or 0',
    ],
    [
      '--service-account-max-token-expiration=1h',
      '--service-account-max-token-expiration=1200000h',
      'must be from 1 hour to 2^32 seconds, or 0',
    ],
    ['--runtime-config=apps/v1=1', '--runtime-config==true', 'must be group/version=true or group/version=false'],
    ['--runtime-config=apps/v1', '--runtime-config=apps/v1=maybe', 'must be group/version=true or group/version=false'],
    [
      '--storage-versions=v1,apps=extensions/v1beta1',
      '--storage-versions=apps/one',
      'must be group/version or group1=group2/version',
    ],
    ['--oidc-required-claim=a=b,c', '--oidc-required-claim=a', 'must be key=value'],
    ['--min-request-timeout=0', '--min-request-timeout=-1', 'must not be negative'],
    [
      '--feature-gates=AllAlpha=true',
      '--feature-gates=AllAlpha',
      'must be pairs such as Name=true, separated by commas',
    ],
    ['--insecure-port=0', '--insecure-port=8080', 'there is no port without TLS: must be 0; use --secure-port'],
  ];
  for (const [good, bad, rule] of values) {
    it(`take ${good} and refuse ${bad}`, () => {
      assert.deepEqual(problems(good), []);
      assert.deepEqual(problems(bad), [`${bad.replace('kubelet-', 'nodeagent-')}: ${rule}`]);
    });
  }

  it('take storage servers by their URLs', () => {
    const found = (servers: string): readonly string[] =>
      readOptions(apiServerOptions, 'apiserver', [`--store-servers=${servers}`]).problems;
    assert.deepEqual(found('https://10.0.0.1:2379'), []);
    assert.equal(
      found('10.0.0.1:2379')[0],
      '--store-servers=10.0.0.1:2379: must be a URL that begins with http:// or https://',
    );
  });

  it('have one row per name, and defaults that are right', () => {
    const names = apiServerOptions.flatMap((row) => [row.name, ...(row.aliases ?? [])]);
    assert.deepEqual(
      names.filter((name, i) => names.indexOf(name) !== i),
      [],
    );
    assert.deepEqual(
      names.filter((name) => !/^[a-z][a-z0-9-]*$/.test(name)),
      [],
    );
    for (const component of ['up', 'apiserver'] as const) {
      const args = apiServerOptions
        .filter((row) => row.components.includes(component))
        .flatMap((row) => {
          const text = row.defaults?.[component] ?? row.default;
          return text === undefined ? [] : [`--${row.name}=${text}`];
        });
      const found = readOptions(
        apiServerOptions,
        component,
        component === 'up' ? args : [...args, '--store-servers=http://127.0.0.1:2379'],
      ).problems;
      assert.deepEqual(found, []);
    }
  });

  it('start up as the safer of the two', () => {
    const { values } = readOptions(apiServerOptions, 'up', []);
    assert.deepEqual(
      [values.list('authorization-mode'), values.string('bind-address')],
      [['Node', 'RBAC'], '127.0.0.1'],
    );
    assert.deepEqual(readOptions(apiServerOptions, 'apiserver', []).values.list('authorization-mode'), ['AlwaysAllow']);
  });
});

describe('cipher suites', () => {
  it('are refused where they are unknown or the runtime does not offer them', () => {
    assert.match(problems('--tls-cipher-suites=TLS_NULL')[0]!, /must be one of TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA, /);
    const offered = getCiphers();
    for (const name of cipherSuiteNames) {
      const isOffered = offered.includes(openSslCipher(name)!.toLowerCase());
      assert.deepEqual(
        problems(`--tls-cipher-suites=${name}`),
        isOffered
          ? []
          : [
              `--tls-cipher-suites=${name}: the cryptographic library of Node ${process.versions.node} does not offer this suite`,
            ],
      );
    }
    assert.equal(problems('--tls-cipher-suites=TLS_ECDHE_RSA_WITH_RC4_128_SHA').length, 1);
  });
});
