import assert from 'node:assert/strict';
import { cells, create, decode, update } from '../kind-testing.ts';
import { stored } from '../stored-for-test.ts';
import { ADMISSION_V1, ADMISSION_V1BETA1 } from './admissionregistration-group.ts';
import { mutatingWebhookConfiguration } from './mutating-webhook-configuration/mutating-webhook-configuration.ts';
import { validatingWebhookConfiguration } from './validating-webhook-configuration/validating-webhook-configuration.ts';

const metadata = { name: 'w' };
const rule = { apiGroups: ['none.example.com'], apiVersions: ['v1'], resources: ['nothings'], operations: ['CREATE'] };
const webhook = {
  name: 'a.example.com',
  admissionReviewVersions: ['v1'],
  sideEffects: 'None',
  clientConfig: { url: 'https://webhook.invalid/x' },
  rules: [rule],
};

function problems(change: object): string[] {
  return create(validatingWebhookConfiguration, ADMISSION_V1, { metadata, webhooks: [{ ...webhook, ...change }] })
    .texts;
}

describe('webhook configurations', () => {
  it('may be empty', () => {
    const { object, as } = create(mutatingWebhookConfiguration, ADMISSION_V1, { metadata });
    assert.equal('webhooks' in as(ADMISSION_V1), false);
    assert.deepEqual(cells(mutatingWebhookConfiguration, object), ['w', 0, '0s']);
  });

  it('are filled in', () => {
    const object = stored(validatingWebhookConfiguration, ADMISSION_V1, { metadata, webhooks: [webhook] });
    assert.deepEqual(object.webhooks, [
      {
        ...webhook,
        failurePolicy: 'Fail',
        matchPolicy: 'Equivalent',
        namespaceSelector: {},
        objectSelector: {},
        timeoutSeconds: 10,
        rules: [{ ...rule, scope: '*' }],
      },
    ]);
    const service = { ...webhook, clientConfig: { service: { name: 's', namespace: 'n' } } };
    const mutating = stored(mutatingWebhookConfiguration, ADMISSION_V1, { metadata, webhooks: [service] });
    assert.equal(mutating.webhooks[0].clientConfig.service.port, 443);
    assert.equal(mutating.webhooks[0].reinvocationPolicy, 'Never');
    assert.deepEqual(cells(mutatingWebhookConfiguration, mutating), ['w', 1, '0s']);
  });

  it('are defaulted differently, with fewer requirements, in the beta version', () => {
    const { name, clientConfig } = webhook;
    const hub = decode(mutatingWebhookConfiguration, ADMISSION_V1BETA1, {
      metadata,
      webhooks: [
        { name, clientConfig },
        { name, clientConfig },
      ],
    });
    const { failurePolicy, matchPolicy, timeoutSeconds, sideEffects, admissionReviewVersions, reinvocationPolicy } =
      hub.webhooks[0];
    assert.deepEqual(
      [failurePolicy, matchPolicy, timeoutSeconds, sideEffects, admissionReviewVersions, reinvocationPolicy],
      ['Ignore', 'Exact', 30, 'Unknown', ['v1beta1'], 'Never'],
    );
    const object = stored(mutatingWebhookConfiguration, ADMISSION_V1BETA1, {
      metadata,
      webhooks: [
        { name, clientConfig },
        { name, clientConfig },
      ],
    });
    assert.deepEqual(
      update(mutatingWebhookConfiguration, ADMISSION_V1, object, (w) => (w.webhooks[0].timeoutSeconds = 5)).texts,
      [],
    );
    assert.deepEqual(create(mutatingWebhookConfiguration, ADMISSION_V1, { metadata, webhooks: hub.webhooks }).texts, [
      'webhooks[0].sideEffects: Unsupported value: "Unknown": supported values: "None", "NoneOnDryRun"',
      'webhooks[1].sideEffects: Unsupported value: "Unknown": supported values: "None", "NoneOnDryRun"',
      'webhooks[1].name: Duplicate value: "a.example.com"',
    ]);
  });

  const cases: [string, object, string[]][] = [
    [
      'no side effects and versions',
      { sideEffects: undefined, admissionReviewVersions: undefined },
      [
        'webhooks[0].sideEffects: Required value: must specify one of None, NoneOnDryRun',
        'webhooks[0].admissionReviewVersions: Required value: must specify one of v1, v1beta1',
      ],
    ],
    [
      'unknown versions',
      { admissionReviewVersions: ['v2', 'v2'] },
      [
        'webhooks[0].admissionReviewVersions[1]: Invalid value: "v2": duplicate version',
        'webhooks[0].admissionReviewVersions: Invalid value: ["v2","v2"]: must include at least one of v1, v1beta1',
      ],
    ],
    [
      'a short name',
      { name: 'a.b' },
      ['webhooks[0].name: Invalid value: "a.b": should be a domain with at least three segments separated by dots'],
    ],
    [
      'long waits',
      { timeoutSeconds: 31 },
      ['webhooks[0].timeoutSeconds: Invalid value: 31: the timeout value must be between 1 and 30 seconds'],
    ],
    [
      'unknown policies',
      { failurePolicy: 'A', matchPolicy: 'B' },
      [
        'webhooks[0].failurePolicy: Unsupported value: "A": supported values: "Fail", "Ignore"',
        'webhooks[0].matchPolicy: Unsupported value: "B": supported values: "Equivalent", "Exact"',
      ],
    ],
    [
      'no client',
      { clientConfig: {} },
      ['webhooks[0].clientConfig: Required value: exactly one of url or service is required'],
    ],
    [
      'a rule about nothing',
      { rules: [{}] },
      ['operations', 'apiGroups', 'apiVersions', 'resources'].map(
        (name) => `webhooks[0].rules[0].${name}: Required value`,
      ),
    ],
    [
      'wildcards with company',
      { rules: [{ ...rule, operations: ['*', 'CREATE'], apiGroups: ['*', ''], resources: ['*', 'pods'] }] },
      [
        'webhooks[0].rules[0].operations: Invalid value: ["*","CREATE"]: if \'*\' is present, must not specify other operations',
        'webhooks[0].rules[0].apiGroups: Invalid value: ["*",""]: if \'*\' is present, must not specify other API groups',
        'webhooks[0].rules[0].resources: Invalid value: ["*","pods"]: if \'*\' is present, must not specify other resources without subresources',
      ],
    ],
    [
      'covered subresources',
      { rules: [{ ...rule, resources: ['pods/*', 'pods/log', '*/scale', 'x/scale', ''], scope: 'World' }] },
      [
        'webhooks[0].rules[0].resources[1]: Invalid value: "pods/log": if \'pods/*\' is present, must not specify pods/log',
        'webhooks[0].rules[0].resources[3]: Invalid value: "x/scale": if \'*/scale\' is present, must not specify x/scale',
        'webhooks[0].rules[0].resources[4]: Required value',
        'webhooks[0].rules[0].scope: Unsupported value: "World": supported values: "*", "Cluster", "Namespaced"',
      ],
    ],
    [
      'conditions without expression',
      {
        matchConditions: [
          { name: 'a', expression: ' ' },
          { name: 'a', expression: 'true' },
        ],
      },
      [
        'webhooks[0].matchConditions[0].expression: Required value',
        'webhooks[0].matchConditions[1].name: Duplicate value: "a"',
      ],
    ],
  ];
  for (const [name, change, expected] of cases) {
    it(`refuse ${name}`, () => assert.deepEqual(problems(change), expected));
  }

  it('count changes in the generation', () => {
    const object = stored(validatingWebhookConfiguration, ADMISSION_V1, { metadata, webhooks: [webhook] });
    assert.equal(
      update(validatingWebhookConfiguration, ADMISSION_V1, object, (w) => (w.webhooks[0].timeoutSeconds = 5)).object
        .metadata.generation,
      2,
    );
    assert.equal(
      update(validatingWebhookConfiguration, ADMISSION_V1, object, (w) => (w.metadata.labels = { 'bad key!': '' }))
        .texts.length,
      3,
    );
  });
});
