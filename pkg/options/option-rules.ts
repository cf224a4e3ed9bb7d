import { sameScheme } from './checks.ts';
import { FeatureGates } from './feature-gates.ts';
import type { OptionValues } from './option.ts';
import { optionProblem } from './options-error.ts';
import { switchText } from './value-types.ts';

/** Rules between options. Checked when each of them is valid. */
export interface OptionRule {
  readonly options: readonly string[];
  /** Problems in the form of `OptionsError`. */
  check(options: OptionValues): string[];
}

/** Two options of which neither works without the other. */
function together(first: string, second: string): OptionRule {
  return {
    options: [first, second],
    check: (options) =>
      [
        [first, second],
        [second, first],
      ].flatMap(([one, other]) => needs(options, one!, other!)),
  };
}

/** `option` makes no sense without `needed`. */
function requires(option: string, needed: string): OptionRule {
  return { options: [option, needed], check: (options) => needs(options, option, needed) };
}

function needs(options: OptionValues, option: string, needed: string): string[] {
  if (options.string(option) === '' || options.string(needed) !== '') return [];
  return [optionProblem(option, options.string(option), `needs --${needed}`)];
}

/** `option` makes no sense unless the mode is among `--authorization-mode`, and the mode makes none without it. */
function modeFile(mode: string, option: string): OptionRule {
  return {
    options: ['authorization-mode', option],
    check: (options) => {
      const [on, value] = [options.list('authorization-mode').includes(mode), options.string(option)];
      if (on && value === '')
        return [
          optionProblem(
            'authorization-mode',
            options.string('authorization-mode'),
            `the mode ${mode} needs --${option}`,
          ),
        ];
      return !on && value !== ''
        ? [optionProblem(option, value, `needs the mode ${mode} in --authorization-mode`)]
        : [];
    },
  };
}

function rule(
  options: readonly string[],
  check: (values: OptionValues) => readonly (readonly [option: string, rule: string] | undefined)[],
): OptionRule {
  return {
    options,
    check: (values) =>
      check(values).flatMap((found) =>
        found === undefined ? [] : [optionProblem(found[0], values.string(found[0]), found[1])],
      ),
  };
}

function duplicates(items: readonly string[]): string[] {
  return [...new Set(items.filter((item, i) => items.indexOf(item) !== i))];
}

/** Sizes and rates that a sink uses must be above 0; unused ones may be anything. */
function sinkRules(sink: 'log' | 'webhook'): readonly OptionRule[] {
  const name = (option: string): string => `audit-${sink}-${option}`;
  const above0 = (values: OptionValues, option: string, used: boolean): readonly [string, string] | undefined =>
    used && values.float(name(option)) === 0 ? [name(option), 'must be above 0'] : undefined;
  const [batch, event] = [name('truncate-max-batch-size'), name('truncate-max-event-size')];
  return [
    rule(['mode', 'batch-buffer-size', 'batch-max-size'].map(name), (o) =>
      ['batch-buffer-size', 'batch-max-size'].map((option) => above0(o, option, o.string(name('mode')) === 'batch')),
    ),
    rule(['mode', 'batch-throttle-enable', 'batch-throttle-qps', 'batch-throttle-burst'].map(name), (o) => {
      const throttled = o.string(name('mode')) === 'batch' && o.bool(name('batch-throttle-enable'));
      return [above0(o, 'batch-throttle-qps', throttled), above0(o, 'batch-throttle-burst', throttled)];
    }),
    rule([name('truncate-enabled'), batch, event], (o) => {
      if (!o.bool(name('truncate-enabled'))) return [];
      return [
        above0(o, 'truncate-max-event-size', true),
        o.int(batch) < o.int(event) ? [batch, `must not be below --${event}`] : undefined,
      ];
    }),
  ];
}

/** Every rule between options of the API server. */
export const optionRules: readonly OptionRule[] = [
  rule(['storage-backend', 'store-servers'], (o) => [
    o.string('storage-backend') !== 'embedded' && o.list('store-servers').length === 0
      ? ['store-servers', `the storage backend ${o.string('storage-backend')} needs the URL of a server`]
      : undefined,
    o.string('storage-backend') === 'embedded' && o.list('store-servers').length > 0
      ? ['store-servers', 'needs --storage-backend=etcd3']
      : undefined,
  ]),
  rule(['storage-backend', 'data-dir'], (o) => [
    o.string('storage-backend') === 'embedded' && o.string('data-dir') === ''
      ? ['data-dir', 'the storage backend embedded needs a directory that stays']
      : undefined,
  ]),
  rule(['ephemeral', 'data-dir', 'storage-backend'], (o) => {
    const other = o.isGiven('data-dir') ? '--data-dir' : '--storage-backend=etcd3';
    return [
      o.bool('ephemeral') && (o.isGiven('data-dir') || o.string('storage-backend') !== 'embedded')
        ? ['ephemeral', `cannot be used together with ${other}`]
        : undefined,
    ];
  }),
  rule(['store-servers'], (o) => {
    const problem = sameScheme(o.list('store-servers'));
    return [problem === undefined ? undefined : ['store-servers', problem]];
  }),
  together('store-certfile', 'store-keyfile'),
  together('tls-cert-file', 'tls-private-key-file'),
  together('proxy-client-cert-file', 'proxy-client-key-file'),
  together('nodeagent-client-certificate', 'nodeagent-client-key'),
  together('oidc-issuer-url', 'oidc-client-id'),
  requires('service-account-signing-key-file', 'service-account-issuer'),
  requires('service-account-signing-key-file', 'service-account-key-file'),
  rule(['service-account-signing-key-file', 'feature-gates'], (o) => [
    o.string('service-account-signing-key-file') !== '' && FeatureGates.of(o).turnedOff('TokenRequest')
      ? ['service-account-signing-key-file', 'needs the feature TokenRequest, which --feature-gates turns off']
      : undefined,
  ]),
  rule(['service-account-issuer'], (o) =>
    duplicates(o.list('service-account-issuer')).map(
      (issuer) => ['service-account-issuer', `names ${issuer} twice`] as const,
    ),
  ),
  modeFile('ABAC', 'authorization-policy-file'),
  modeFile('Webhook', 'authorization-webhook-config-file'),
  rule(['authorization-mode'], (o) =>
    duplicates(o.list('authorization-mode')).map((mode) => ['authorization-mode', `names ${mode} twice`] as const),
  ),
  rule(['authorization-mode'], (o) => [
    o.list('authorization-mode').length === 0 ? ['authorization-mode', 'must name at least one authorizer'] : undefined,
  ]),
  rule(['enable-admission-plugins', 'disable-admission-plugins'], (o) =>
    o
      .list('enable-admission-plugins')
      .map((name) =>
        o.list('disable-admission-plugins').includes(name)
          ? (['enable-admission-plugins', `${name} is in --disable-admission-plugins as well`] as const)
          : undefined,
      ),
  ),
  rule(['admission-control', 'enable-admission-plugins', 'disable-admission-plugins'], (o) => [
    o.isGiven('admission-control') && (o.isGiven('enable-admission-plugins') || o.isGiven('disable-admission-plugins'))
      ? ['admission-control', 'cannot be used together with --enable-admission-plugins and --disable-admission-plugins']
      : undefined,
  ]),
  rule(['audit-webhook-config-file', 'feature-gates'], (o) => [
    o.string('audit-webhook-config-file') !== '' && !FeatureGates.of(o).enabled('AdvancedAuditing')
      ? ['audit-webhook-config-file', 'needs the feature AdvancedAuditing']
      : undefined,
  ]),
  rule(['audit-policy-file', 'audit-log-format', 'feature-gates'], (o) =>
    FeatureGates.of(o).enabled('AdvancedAuditing')
      ? []
      : [
          o.string('audit-policy-file') === ''
            ? undefined
            : ['audit-policy-file', 'needs the feature AdvancedAuditing'],
          o.isGiven('audit-log-format') && o.string('audit-log-format') === 'json'
            ? ['audit-log-format', 'needs the feature AdvancedAuditing']
            : undefined,
        ],
  ),
  ...sinkRules('log'),
  ...sinkRules('webhook'),
  rule(['runtime-config'], (o) => {
    const served = [...o.pairs('runtime-config')];
    return [
      served.length === 1 && served[0]![0] === 'api/all' && switchText(served[0]![1]) === 'false'
        ? ['runtime-config', 'turns off the whole API: name versions that are served']
        : undefined,
    ];
  }),
  rule(['cert-dir'], (o) => [
    o.component === 'apiserver' && o.string('cert-dir') === '' ? ['cert-dir', 'must name a directory'] : undefined,
  ]),
  rule(['oidc-issuer-url', 'oidc-username-claim'], (o) => [
    o.string('oidc-issuer-url') !== '' && o.string('oidc-username-claim') === ''
      ? ['oidc-username-claim', 'must name a claim']
      : undefined,
  ]),
  rule(['secure-port'], (o) => [
    o.component === 'apiserver' && o.int('secure-port') === 0
      ? ['secure-port', 'there is no other port to serve on']
      : undefined,
  ]),
  rule(['cluster-service-node-port', 'service-node-port-range'], (o) => {
    const [low, high] = o.string('service-node-port-range').split('-').map(Number) as [number, number];
    const port = o.int('cluster-service-node-port');
    return [
      port !== 0 && (port < low || port > high)
        ? ['cluster-service-node-port', `must be in --service-node-port-range=${low}-${high}`]
        : undefined,
    ];
  }),
  rule(['strict-transport-security-directives'], (o) => {
    const directives = o.list('strict-transport-security-directives');
    return [
      directives.length > 0 && !directives.some((d) => d.startsWith('max-age='))
        ? ['strict-transport-security-directives', 'must have max-age']
        : undefined,
    ];
  }),
];
