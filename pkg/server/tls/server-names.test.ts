import assert from 'node:assert/strict';
import { TestAuthority } from '../../net/certificates-testing.ts';
import { serverNames, type Named } from './server-names.ts';

/** What is offered, in order: under patterns, or under the names of a certificate. */
interface Offer {
  readonly value: string;
  readonly patterns?: readonly string[];
  readonly subject?: string;
  readonly names?: readonly string[];
}

describe('serverNames', () => {
  let authority: TestAuthority;
  before(async () => {
    authority = await TestAuthority.create();
  });

  async function finder(offers: readonly Offer[]): Promise<(name: string) => string | undefined> {
    const items = await Promise.all(
      offers.map(async ({ value, patterns = [], subject = `O=${value}`, names }): Promise<Named<string>> => {
        const { pem } = await authority.sign({ subject, ...(names === undefined ? {} : { names }) });
        return { patterns, cert: pem, value };
      }),
    );
    return serverNames(items);
  }

  const tables: readonly (readonly [
    rule: string,
    offers: readonly Offer[],
    found: Readonly<Record<string, string | undefined>>,
  ])[] = [
    [
      'finds names in the certificate where no pattern is given',
      [{ value: 'a', names: ['api.example.com', '*.apps.example.com'] }],
      {
        'api.example.com': 'a',
        'x.apps.example.com': 'a',
        'apps.example.com': undefined,
        'example.com': undefined,
        'x.api.example.com': undefined,
      },
    ],
    [
      'takes patterns instead of the names in the certificate',
      [{ value: 'a', patterns: ['given.example.com'], subject: 'CN=common.example.com', names: ['own.example.com'] }],
      {
        'given.example.com': 'a',
        'own.example.com': undefined,
        'common.example.com': undefined,
      },
    ],
    [
      'has names win over wildcards, in whichever order they are given',
      [
        { value: 'wild', patterns: ['*.example.com'] },
        { value: 'exact', patterns: ['api.example.com'] },
        { value: 'wild', patterns: ['*.other.test'] },
      ],
      { 'api.example.com': 'exact', 'web.example.com': 'wild', 'api.other.test': 'wild' },
    ],
    [
      'has a name in a certificate win over a wildcard given by hand',
      [
        { value: 'wild', patterns: ['*.example.com'] },
        { value: 'extracted', names: ['api.example.com'] },
      ],
      {
        'api.example.com': 'extracted',
        'web.example.com': 'wild',
      },
    ],
    [
      'has patterns win over the same names in certificates',
      [
        { value: 'extracted', names: ['api.example.com', '*.example.com'] },
        { value: 'given', patterns: ['api.example.com', '*.example.com'] },
      ],
      { 'api.example.com': 'given', 'web.example.com': 'given' },
    ],
    [
      'has the earlier win over the later',
      [
        { value: 'first', patterns: ['a.test', '*.w.test'] },
        { value: 'second', patterns: ['a.test', 'b.test', '*.w.test'] },
        { value: 'third', names: ['c.test'] },
        { value: 'fourth', names: ['c.test', 'd.test'] },
      ],
      { 'a.test': 'first', 'b.test': 'second', 'x.w.test': 'first', 'c.test': 'third', 'd.test': 'fourth' },
    ],
    [
      'does not tell letters by their case',
      [
        { value: 'a', patterns: ['API.Example.com'] },
        { value: 'b', names: ['Web.EXAMPLE.com'] },
      ],
      {
        'api.example.COM': 'a',
        'web.example.com': 'b',
        'WEB.example.com': 'b',
      },
    ],
    [
      'passes over dots at the end',
      [{ value: 'a', patterns: ['api.example.com.', '*.w.test.'] }],
      {
        'api.example.com': 'a',
        'api.example.com.': 'a',
        'api.example.com..': 'a',
        'x.w.test.': 'a',
      },
    ],
    [
      'has a star stand for one whole label, the first ones',
      [
        { value: 'one', patterns: ['*.w.test'] },
        { value: 'two', patterns: ['*.*.w.test'] },
        { value: 'middle', patterns: ['a.*.test', 'b*.test'] },
      ],
      {
        'a.w.test': 'one',
        'a.b.w.test': 'two',
        'a.b.c.w.test': undefined,
        'w.test': undefined,
        'a.b.test': undefined,
        'bc.test': undefined,
      },
    ],
    [
      'has stars alone stand for names of as many labels',
      [
        { value: 'any', patterns: ['*'] },
        { value: 'pair', patterns: ['*.*'] },
      ],
      {
        localhost: 'any',
        'example.com': 'pair',
        'a.example.com': undefined,
      },
    ],
    [
      'offers the common name, beside the others as well',
      [
        { value: 'a', subject: 'CN=common.example.com' },
        { value: 'b', subject: 'CN=both.example.com,O=x', names: ['own.example.com'] },
      ],
      {
        'common.example.com': 'a',
        'both.example.com': 'b',
        'own.example.com': 'b',
      },
    ],
    [
      'passes over common names that are no names of hosts',
      [{ value: 'a', subject: 'CN=kube apiserver' }],
      { 'kube apiserver': undefined, localhost: undefined },
    ],
    [
      'takes a star alone for a common name',
      [{ value: 'a', subject: 'CN=*' }],
      { localhost: 'a', 'example.com': undefined },
    ],
    [
      'passes over addresses in certificates, but not over those given by hand',
      [
        { value: 'a', names: ['10.0.0.1', 'fd00::1', 'own.test'] },
        { value: 'b', patterns: ['10.0.0.2'] },
      ],
      {
        '10.0.0.1': undefined,
        'fd00::1': undefined,
        'own.test': 'a',
        '10.0.0.2': 'b',
      },
    ],
    [
      'finds nothing for whoever asks for nothing, or for what nobody offers',
      [{ value: 'a', patterns: ['a.test'] }],
      { '': undefined, '.': undefined, 'b.test': undefined, __proto__: undefined, constructor: undefined },
    ],
    ['finds nothing where nothing is offered', [], { 'a.test': undefined }],
  ];
  for (const [rule, offers, found] of tables) {
    it(rule, async () => {
      const find = await finder(offers);
      for (const [name, value] of Object.entries(found)) assert.equal(find(name), value, `'${name}'`);
    });
  }
});
