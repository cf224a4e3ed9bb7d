import { parseJson } from '../../pkg/apimachinery/json/json.ts';
import { applyJsonPatch } from '../../pkg/apimachinery/patch/json-patch.ts';
import { applyMergePatch } from '../../pkg/apimachinery/patch/merge-patch.ts';
import { applyStrategicMergePatch } from '../../pkg/apimachinery/patch/strategic-merge-patch.ts';
import { schemaOf } from '../../pkg/codec/schemas.ts';
import { sampleObject } from '../fixtures/sample-objects.ts';
import type { FuzzTarget } from './fuzz-target.ts';

const deployment = (): unknown => structuredClone(sampleObject('apps', 'deployments'));
const schema = schemaOf('apps/v1.Deployment');

/** Patches of a Deployment. */
export const patchTargets: readonly FuzzTarget[] = [
  {
    name: 'JSON patches',
    seeds: [
      '[{"op":"add","path":"/metadata/labels/a~1b","value":"c"},{"op":"test","path":"/metadata/labels/a~1b","value":"c"},{"op":"move","from":"/metadata/labels","path":"/x"}]',
      '[{"op":"copy","from":"/spec","path":"/spec/template/-"},{"op":"remove","path":"/spec/template/spec/containers/0"},{"op":"replace","path":"","value":{}}]',
    ],
    run: (input) => applyJsonPatch(deployment(), parseJson(input)),
  },
  {
    name: 'merge patches',
    seeds: [
      '{"metadata":{"labels":{"a":null,"b":"c"}},"spec":{"template":{"spec":{"containers":[]}}}}',
      '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}',
    ],
    run: (input) => applyMergePatch(deployment(), parseJson(input)),
  },
  {
    name: 'strategic merge patches',
    seeds: [
      '{"spec":{"template":{"spec":{"$setElementOrder/containers":[{"name":"main"}],"containers":[{"name":"main","env":[{"name":"A","$patch":"delete"},{"name":"B","value":"2"}]}],"$retainKeys":["containers"]}}}}',
      '{"metadata":{"$deleteFromPrimitiveList/finalizers":["a"],"labels":{"$patch":"replace","x":"y"}},"spec":{"strategy":{"$retainKeys":["type"],"type":"Recreate"}}}',
    ],
    run: (input) => applyStrategicMergePatch(deployment(), parseJson(input), schema),
  },
];
