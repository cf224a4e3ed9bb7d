/**
 * The files of a new controller: one that follows ConfigMaps and marks those that it has seen, to be changed into what
 * is wanted. It has the shape of all controllers: informers and queue, ordered steps, one file a step.
 */
export function controllerFiles(name: string): Readonly<Record<string, string>> {
  const camel = name.replaceAll(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
  return {
    'controller.ts': controllerText(name, camel),
    'reconcile.ts': reconcileText,
    'mark-object.ts': stepText(name),
    'controller.test.ts': testText(name, camel),
  };
}

const controllerText = (name: string, camel: string): string => `import { configMaps } from '../../api/core/tokens.ts';
import type { ControllerContext } from '../controller-context.ts';
import type { Controller } from '../controller.ts';
import { QueueController } from '../queue-controller.ts';
import { reconcile } from './reconcile.ts';

const WORKERS = 5;

/** Marks the ConfigMaps that it has seen. */
export function ${camel}Controller(context: ControllerContext): Controller {
  const { client, informers } = context;
  const followed = informers.informer(configMaps);
  const controller = new QueueController(context, {
    name: '${name}',
    workers: WORKERS,
    reconcile: (key) => {
      const [namespace, objectName] = key.split('/') as [string, string];
      return reconcile(followed.lister.get({ namespace, name: objectName }), {
        update: async (object) => void (await client.update(configMaps, object)),
      });
    },
  });
  controller.follow(followed, ({ metadata }) => [\`\${metadata.namespace}/\${metadata.name}\`]);
  return controller;
}
`;

const reconcileText = `import type { ConfigMap } from '../../generated/types/core-v1.ts';
import { markObject, type MarkFunctions } from './mark-object.ts';

/** One object, in steps; nothing to do where it is gone or ends. */
export async function reconcile(object: ConfigMap | undefined, functions: MarkFunctions): Promise<void> {
  if (object === undefined || object.metadata.deletionTimestamp !== undefined) return;
  await markObject(object, functions);
}
`;

const stepText = (name: string): string => `import type { ConfigMap } from '../../generated/types/core-v1.ts';

export interface MarkFunctions {
  readonly update: (object: ConfigMap) => Promise<void>;
}

const MARK = '${name}.example.com/seen';

/** Objects of informers are shared: a changed one is a copy. */
export async function markObject(object: ConfigMap, { update }: MarkFunctions): Promise<void> {
  const { annotations } = object.metadata;
  if (annotations?.[MARK] === 'true') return;
  await update({ ...object, metadata: { ...object.metadata, annotations: { ...annotations, [MARK]: 'true' } } });
}
`;

const testText = (name: string, camel: string): string => `import assert from 'node:assert/strict';
import { configMaps } from '../../api/core/tokens.ts';
import { ControllersFixture } from '../controllers-testing.ts';
import { ${camel}Controller } from './controller.ts';

describe('the ${name} controller', () => {
  let fixture: ControllersFixture;
  beforeEach(() => (fixture = new ControllersFixture()));
  afterEach(() => fixture.stop());

  it('marks each object once', async () => {
    await fixture.client.create(configMaps, { metadata: { namespace: 'ns', name: 'one' } });
    await fixture.start(${camel}Controller(fixture.context));
    const { metadata } = await fixture.client.get(configMaps, { namespace: 'ns', name: 'one' });
    assert.deepEqual(metadata.annotations, { '${name}.example.com/seen': 'true' });
    const updates = fixture.client.writes.filter(({ verb }) => verb === 'update');
    assert.deepEqual([updates.length, fixture.errors], [1, []]);
  });
});
`;
