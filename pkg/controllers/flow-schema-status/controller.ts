import { flowSchemas, priorityLevelConfigurations } from '../../api/flowcontrol/tokens.ts';
import type { ControllerContext } from '../controller-context.ts';
import type { Controller } from '../controller.ts';
import { QueueController } from '../queue-controller.ts';
import { levelOf, reconcile } from './reconcile.ts';

/** Says of each flow schema whether its priority level exists. Several may run at once: all come to the same. */
export function flowSchemaStatusController(context: ControllerContext): Controller {
  const { client, clock, informers } = context;
  const schemas = informers.informer(flowSchemas);
  const levels = informers.informer(priorityLevelConfigurations);
  const controller = new QueueController(context, {
    name: 'flow-schema-status',
    workers: 1,
    reconcile: (name) =>
      reconcile(name, {
        schemaOf: (schema) => schemas.lister.get({ name: schema }),
        hasLevel: (level) => levels.lister.get({ name: level }) !== undefined,
        updateStatus: (schema) => client.update(flowSchemas, schema, { subresource: 'status' }),
        nowMs: clock.wallMs(),
      }),
  });
  controller.follow(schemas, ({ metadata }) => [metadata.name!]);
  controller.follow(levels, ({ metadata }) =>
    schemas.lister
      .list()
      .filter((schema) => levelOf(schema) === metadata.name)
      .map((schema) => schema.metadata.name!),
  );
  return controller;
}
