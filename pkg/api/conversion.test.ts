import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { ApiObject } from '../apimachinery/meta/object.ts';
import { normalize } from '../codec/normalize.ts';
import { arbitraryObject } from '../codec/random-object-testing.ts';
import type { CustomResourceDefinition } from '../generated/types/apiextensions-v1.ts';
import type { Ingress } from '../generated/types/networking-v1.ts';
import { allResources } from './all-resources.ts';
import { fromHub, Scheme, toHub } from './scheme.ts';

/**
 * Every object is readable and writable through every version of its kind without loss. Random objects show it for
 * kinds whose versions have the same data in other places; kinds that keep missing fields in annotations have separate
 * tests.
 */

const KINDS = [
  'ClusterRoleBinding',
  'CustomResourceDefinition',
  'EndpointSlice',
  'FlowSchema',
  'Ingress',
  'PriorityLevelConfiguration',
  'RoleBinding',
  'RuntimeClass',
];

/** Random objects that no version would accept are corrected where they have no form in another one. */
const mend: Readonly<Record<string, (object: never) => void>> = {
  Ingress({ spec }: Ingress) {
    const paths = (spec.rules ?? []).flatMap((rule) => rule.http?.paths ?? []);
    for (const { service } of [spec.defaultBackend ?? {}, ...paths.map((path) => path.backend)]) {
      if (service === undefined) continue;
      service.name ||= 'service';
      if (service.port.name) delete service.port.number;
    }
  },
  CustomResourceDefinition({ spec }: CustomResourceDefinition) {
    if (!spec.conversion?.webhook?.conversionReviewVersions?.length) delete spec.conversion?.webhook;
  },
};

const scheme = new Scheme(allResources);

describe('conversion between versions', () => {
  for (const definition of allResources.filter((candidate) => KINDS.includes(candidate.kind))) {
    const hub = scheme.hub(definition);
    for (const { groupVersion, served } of definition.versions) {
      if (served === false || groupVersion === definition.hub) continue;
      const other = scheme.at(definition, groupVersion)!;
      it(`keeps all of a ${definition.kind} in ${groupVersion}`, () => {
        fc.assert(
          fc.property(arbitraryObject(hub.schema), (random) => {
            const object = normalize<ApiObject>(random, hub.schema);
            hub.version.setDefaults?.(object);
            mend[definition.kind]?.(object as never);
            const before = normalize<ApiObject>(toHub(hub, object), hub.schema);
            const there = normalize<ApiObject>(fromHub(other, before), other.schema);
            assert.deepEqual(normalize<ApiObject>(toHub(other, there), hub.schema), before);
          }),
          { numRuns: 100 },
        );
      });
    }
  }
});
