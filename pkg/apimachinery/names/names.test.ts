import assert from 'node:assert/strict';
import fc from 'fast-check';
import { FieldErrors, fieldErrorText } from '../errors/field-errors.ts';
import { field } from '../errors/field-path.ts';
import { formatIp, parseCidr, parseIp } from './ip.ts';
import * as domains from './domain-names.ts';
import * as names from './names.ts';

const SUBDOMAIN =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with " +
  "an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const LABEL =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an " +
  "alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const QUALIFIED =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character " +
  "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

describe('names', () => {
  const cases: [string, (text: string) => string[], string, string[]][] = [
    ['label', names.isDns1123Label, 'a-b', []],
    ['label', names.isDns1123Label, 'C_c', [LABEL]],
    ['label', names.isDns1123Label, '', [LABEL]],
    ['label', names.isDns1123Label, 'a'.repeat(64), ['must be no more than 63 characters']],
    ['label', names.isDns1123Label, 'a\n', [LABEL]],
    ['subdomain', names.isDns1123Subdomain, 'a.b-c.d', []],
    ['subdomain', names.isDns1123Subdomain, 'Not_A_Name!', [SUBDOMAIN]],
    ['subdomain', names.isDns1123Subdomain, `${'é'.repeat(127)}`, ['must be no more than 253 characters', SUBDOMAIN]],
    [
      '1035',
      names.isDns1035Label,
      '1a',
      [
        "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an " +
          "alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is " +
          "'[a-z]([-a-z0-9]*[a-z0-9])?')",
      ],
    ],
    ['qualified', names.isQualifiedName, 'example.com/My_name', []],
    ['qualified', names.isQualifiedName, 'bad key!', [`name part ${QUALIFIED}`]],
    ['qualified', names.isQualifiedName, '/a', ['prefix part must be non-empty']],
    [
      'qualified',
      names.isQualifiedName,
      'A/',
      [`prefix part ${SUBDOMAIN}`, 'name part must be non-empty', `name part ${QUALIFIED}`],
    ],
    [
      'qualified',
      names.isQualifiedName,
      'a/b/c',
      [`a qualified name ${QUALIFIED} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`],
    ],
    ['qualified', names.isQualifiedName, 'x'.repeat(64), ['name part must be no more than 63 characters']],
    ['label value', names.isValidLabelValue, '', []],
    [
      'label value',
      names.isValidLabelValue,
      'has space',
      [
        'a valid label must be an empty string or consist of alphanumeric characters, ' +
          "'-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for " +
          "validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
      ],
    ],
    ['wildcard', names.isWildcardDns1123Subdomain, '*.foo.com', []],
    ['percent', names.isPercent, '10%', []],
    [
      'percent',
      names.isPercent,
      '10',
      [
        "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', " +
          "regex used for validation is '[0-9]+%')",
      ],
    ],
    ['config key', names.isConfigMapKey, '..', ["must not be '..'"]],
    ['config key', names.isConfigMapKey, '..a', ["must not start with '..'"]],
    [
      'config key',
      names.isConfigMapKey,
      'a b',
      [
        "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. " +
          "'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
      ],
    ],
    ['env', names.isEnvVarName, 'MY_ENV.NAME', []],
    [
      'port',
      names.isValidPortName,
      '-1--',
      [
        'must contain at least one letter (a-z)',
        'must not contain consecutive hyphens',
        'must not begin or end with a hyphen',
      ],
    ],
    [
      'port',
      names.isValidPortName,
      'a_234567890123456',
      ['must be no more than 15 characters', 'must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)'],
    ],
    ['ip', names.isValidIp, '010.1.2.3', []],
    ['ip', names.isValidIp, 'fe80::1%eth0', ['must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)']],
    ['ipv4', names.isValidIpv4, '::1', ['must be a valid IPv4 address']],
    ['ipv6', names.isValidIpv6, '::1', []],
    ['socket', names.isValidSocketAddress, '[::]:10254', []],
    [
      'socket',
      names.isValidSocketAddress,
      '::1:80',
      ['must be a valid socket address format, (e.g. 0.0.0.0:10254 or [::]:10254)'],
    ],
    ['header', names.isHttpHeaderName, 'X-A', []],
  ];
  for (const [what, checkText, text, problems] of cases) {
    it(`${what}: ${JSON.stringify(text.slice(0, 30))}`, () => assert.deepEqual(checkText(text), problems));
  }

  it('checks numbers against their range', () => {
    assert.deepEqual(names.isValidPortNum(0), ['must be between 1 and 65535, inclusive']);
    assert.deepEqual(names.isValidPortNum(65535), []);
    assert.deepEqual(names.isValidUserId(-1), ['must be between 0 and 2147483647, inclusive']);
    assert.deepEqual(names.isValidGroupId(2n ** 60n), ['must be between 0 and 2147483647, inclusive']);
  });

  it('lets a generateName end in a dash', () => {
    assert.deepEqual(names.nameIsDns1123Subdomain('web-', true), []);
    assert.deepEqual(names.nameIsDns1123Subdomain('web-', false), [SUBDOMAIN]);
    assert.deepEqual(names.nameIsDns1123Subdomain('-', true), [SUBDOMAIN]);
    assert.deepEqual(names.nameIsDns1035Label('a-', true), []);
    assert.deepEqual(names.nameIsDns1123Label('a-', true), []);
  });

  it('rejects names that are not path segments', () => {
    assert.deepEqual(names.nameIsPathSegment('..', false), ["may not be '..'"]);
    assert.deepEqual(names.nameIsPathSegment('a/b%', false), ["may not contain '/'", "may not contain '%'"]);
    assert.deepEqual(names.nameIsPathSegment('system:x', false), []);
    assert.deepEqual(names.nameIsPathSegment('.', true), []);
  });

  it('checks domains', () => {
    const errors = new FieldErrors();
    domains.validateFullyQualifiedName(field('f'), 'a.b', errors);
    domains.validateFullyQualifiedDomainName(field('f'), 'a.', errors);
    domains.validateFullyQualifiedDomainName(field('f'), 'a.b.', errors);
    domains.validateDomainPrefixedPath(field('f'), 'acme.io/foo', errors);
    domains.validateDomainPrefixedPath(field('f'), 'acme.io/', errors);
    domains.validateFullyQualifiedName(field('f'), '', errors);
    assert.deepEqual(errors.items.map(fieldErrorText), [
      'f: Invalid value: "a.b": should be a domain with at least three segments separated by dots',
      'f: Invalid value: "a": should be a domain with at least two segments separated by dots',
      'f: Invalid value: "acme.io/": must be a domain-prefixed path (such as "acme.io/foo")',
      'f: Required value',
    ]);
  });

  it('takes linear time on long texts', () => {
    const started = process.hrtime.bigint();
    names.isDns1123Subdomain(`${'a-'.repeat(200_000)}!`);
    names.isQualifiedName(`${'a.'.repeat(200_000)}!`);
    assert.ok(process.hrtime.bigint() - started < 2_000_000_000n);
  });
});

describe('IP addresses', () => {
  it('round-trips through bytes', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.uint8Array({ minLength: 4, maxLength: 4 }), fc.uint8Array({ minLength: 16, maxLength: 16 })),
        (bytes) => {
          const mapped =
            bytes.length === 16 &&
            bytes.subarray(0, 10).every((b) => b === 0) &&
            bytes[10] === 255 &&
            bytes[11] === 255;
          fc.pre(!mapped);
          assert.deepEqual(parseIp(formatIp(bytes)), Uint8Array.from(bytes));
        },
      ),
    );
  });

  it('accepts and prints the usual forms', () => {
    const cases: [string, string | undefined][] = [
      ['2001:DB8:0:0:1::1', '2001:db8::1:0:0:1'],
      ['::', '::'],
      ['::ffff:1.2.3.4', '1.2.3.4'],
      ['1::', '1::'],
      ['::1.2.3.4', '::102:304'],
      ['1.2.3', undefined],
      ['1.2.3.256', undefined],
      [':::', undefined],
      ['1:2:3:4:5:6:7:8:9', undefined],
      ['1:2:3:4:5:6:7::', '1:2:3:4:5:6:7:0'],
      ['1::2::3', undefined],
      ['12345::', undefined],
      ['1.2.3.4::', undefined],
      ['', undefined],
    ];
    for (const [text, printed] of cases) {
      const bytes = parseIp(text);
      assert.equal(bytes === undefined ? undefined : formatIp(bytes), printed, text);
    }
  });

  it('parses ranges', () => {
    assert.deepEqual(parseCidr('10.1.2.3/20'), { base: Uint8Array.of(10, 1, 0, 0), prefixBits: 20 });
    assert.equal(formatIp(parseCidr('fd00::ff/64')!.base), 'fd00::');
    assert.equal(parseCidr('10.0.0.0/33'), undefined);
    assert.equal(parseCidr('10.0.0.0'), undefined);
    assert.equal(parseCidr('::/129'), undefined);
  });
});
