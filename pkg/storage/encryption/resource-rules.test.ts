import assert from 'node:assert/strict';
import type { PrefixedTransformer } from './prefixed-transformers.ts';
import { coveredNames, ResourceRules } from './resource-rules.ts';

/** A provider whose values say its name. */
function provider(name: string): PrefixedTransformer {
  return {
    prefix: `${name}:`,
    transformer: { open: (value) => ({ value, stale: false }), seal: (value) => value },
  };
}

/** Which provider writes each resource; `-`: none. */
async function written(lists: readonly (readonly string[])[], resources: readonly string[]): Promise<string[]> {
  const rules = new ResourceRules();
  for (const [i, names] of lists.entries()) for (const name of names) rules.add(name, [provider(String(i))]);
  const writer = async (resource: string): Promise<string> => {
    const sealed = await rules.of(resource)?.seal(Buffer.from('x'), '');
    return sealed === undefined ? '-' : Buffer.from(sealed).toString().split(':')[0]!;
  };
  return Promise.all(resources.map(writer));
}

describe('the rules of an encryption configuration', () => {
  const resources = ['secrets', 'pods', 'deployments.apps', 'crontabs.stable.example.com'];
  for (const [lists, expected] of [
    [[['secrets']], ['0', '-', '-', '-']],
    [[['*.']], ['0', '0', '-', '-']],
    [[['*.apps', 'secrets']], ['0', '-', '0', '-']],
    [[['*.stable.example.com']], ['-', '-', '-', '0']],
    [[['*.*']], ['0', '0', '0', '0']],
    [
      [['secrets'], ['*.'], ['*.*']],
      ['0', '1', '2', '2'],
    ],
    // What a pattern covers that came before is without effect.
    [
      [['*.'], ['secrets'], ['*.apps']],
      ['0', '0', '2', '-'],
    ],
    [
      [['*.*'], ['secrets'], ['*.apps']],
      ['0', '0', '0', '0'],
    ],
    [
      [['secrets'], ['secrets']],
      ['0', '-', '-', '-'],
    ],
  ] as const) {
    it(`write ${JSON.stringify(lists)} with ${expected.join()}`, async () =>
      assert.deepEqual(await written(lists, resources), expected));
  }

  for (const [names, covered] of [
    [['secrets', 'deployments.apps'], []],
    [['*.', 'deployments.apps'], []],
    [['*.', 'secrets'], ['secrets']],
    [['deployments.apps', '*.apps', '*.batch'], ['deployments.apps']],
    [
      ['*.*', '*.apps', 'secrets'],
      ['*.apps', 'secrets'],
    ],
  ] as const) {
    it(`find ${covered.length} names covered in ${names.join()}`, () => assert.deepEqual(coveredNames(names), covered));
  }
});
