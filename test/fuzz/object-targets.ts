import { allResources } from '../../pkg/api/all-resources.ts';
import { prepareNew, validateNew } from '../../pkg/api/before-create.ts';
import type { AnyResource } from '../../pkg/api/resource-definition.ts';
import { fromHub, Scheme, type VersionedResource } from '../../pkg/api/scheme.ts';
import { encodeProtobuf } from '../../pkg/codec/protobuf/protobuf-codec.ts';
import { scanLabels } from '../../pkg/codec/protobuf/scan-labels.ts';
import { decodeObject } from '../../pkg/server/verbs/decode-body.ts';
import { RequestContext } from '../../pkg/server/request/request-context.ts';
import { requestOf } from '../../pkg/server/filters/filter-testing.ts';
import { sampleObject } from '../fixtures/sample-objects.ts';
import type { FuzzTarget } from './fuzz-target.ts';
import { cutShort } from './store-targets.ts';

const scheme = new Scheme(allResources);
const stored = allResources.filter((d) => d.virtual !== true);

/** A write's body on its whole way: decoded, given its defaults, converted, prepared, checked, and encoded again. */
function write(definition: AnyResource, target: VersionedResource, contentType: string, input: Buffer): unknown {
  const { context } = requestOf('POST', '/', { 'content-type': contentType });
  const sent = new RequestContext(context.exchange, context.info, '', {}, 'fuzz', 0);
  sent.body = input;
  const object = decodeObject(sent, scheme, target, 'Warn');
  const strategy = {
    now: '2026-01-01T00:00:00Z',
    user: { name: 'u', groups: [] },
    requestVersion: target.groupVersion,
    dryRun: false,
    policy: { allowPrivileged: false },
  };
  prepareNew(definition, object, strategy);
  const errors = validateNew(definition, object, strategy);
  const shown = fromHub(target, object);
  if (errors.length > 0) return shown;
  definition.warnings?.(object, undefined);
  definition.table?.row(object, 0);
  return target.message.write === undefined
    ? shown
    : encodeProtobuf(target.message, target.groupVersion, target.kind, shown);
}

function targetsOf(definition: AnyResource): FuzzTarget[] {
  const name = `${definition.resource}${definition.group === '' ? '' : `.${definition.group}`}`;
  const target = scheme.at(definition, definition.storageVersion)!;
  const sample = {
    ...(sampleObject(definition.group, definition.resource) as object),
    apiVersion: undefined,
    kind: undefined,
  };
  const json = JSON.stringify(sample);
  const asJson: FuzzTarget = {
    name: `${name} in JSON`,
    seeds: [json],
    run: (input) => write(definition, target, 'application/json', input),
  };
  if (target.message.write === undefined) return [asJson];
  const { context } = requestOf('POST', '/', { 'content-type': 'application/json' });
  const good = new RequestContext(context.exchange, context.info, '', {}, 'seed', 0);
  good.body = Buffer.from(json);
  const bytes = encodeProtobuf(
    target.message,
    target.groupVersion,
    target.kind,
    fromHub(target, decodeObject(good, scheme, target, 'Ignore')),
  );
  return [
    asJson,
    {
      name: `${name} in protobuf`,
      seeds: [bytes],
      run: (input) => write(definition, target, 'application/vnd.kubernetes.protobuf', input),
    },
  ];
}

const samples = stored.filter((d) => hasSample(d));

function hasSample(definition: AnyResource): boolean {
  try {
    return sampleObject(definition.group, definition.resource) !== undefined;
  } catch {
    return false;
  }
}

/** Every kind, as clients send it. */
export const objectTargets: readonly FuzzTarget[] = [
  ...samples.flatMap(targetsOf),
  {
    name: 'labels of stored protobuf',
    seeds: [
      encodeProtobuf(scheme.forResource('v1', 'configmaps')!.message, 'v1', 'ConfigMap', {
        metadata: { name: 'a', labels: { b: 'c' } },
      }),
    ],
    run: scanLabels,
    handles: cutShort,
  },
];
