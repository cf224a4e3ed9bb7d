import { flowSchemas, priorityLevelConfigurations } from '../../api/flowcontrol/tokens.ts';
import type { Resource } from '../../api/resource.ts';
import type { ControllerContext, FollowedObjects } from '../controller-context.ts';
import type { Controller } from '../controller.ts';
import { QueueController } from '../queue-controller.ts';
import { reconcile, type FlowKind } from './reconcile.ts';
import { wantedLevels, wantedSchemas, type FlowObject, type WantedObject } from './wanted-objects.ts';

/** Changes of others stay for so long: servers of two releases would else undo each other's without a pause. */
const GATHER_MS = 60_000;

/**
 * Keeps the objects of priority and fairness that every cluster has, at the start and within a minute of a change.
 * Keys are `kind/name`; priority levels come first, so that no schema dangles.
 */
export function flowControlObjectsController(context: ControllerContext): Controller {
  const { informers } = context;
  const levels = informers.informer(priorityLevelConfigurations);
  const schemas = informers.informer(flowSchemas);
  const kinds: Readonly<Record<string, FlowKind<FlowObject>>> = {
    level: flowKind(context, priorityLevelConfigurations, levels, wantedLevels),
    schema: flowKind(context, flowSchemas, schemas, wantedSchemas),
  };
  const keyOf = (kind: string) => (name: string) => `${kind}/${name}`;
  const controller = new QueueController(context, {
    name: 'flow-control-objects',
    workers: 1,
    firstKeys: () => [
      ...[...wantedLevels.keys(), ...levels.lister.keys()].map(keyOf('level')),
      ...[...wantedSchemas.keys(), ...schemas.lister.keys()].map(keyOf('schema')),
    ],
    reconcile: (key) => {
      const slash = key.indexOf('/');
      return reconcile(key.slice(slash + 1), kinds[key.slice(0, slash)]!);
    },
  });
  const later = { delayMs: GATHER_MS };
  controller.follow(levels, ({ metadata }) => [keyOf('level')(metadata.name!)], later);
  controller.follow(schemas, ({ metadata }) => [keyOf('schema')(metadata.name!)], later);
  return controller;
}

function flowKind<T extends FlowObject>(
  { client }: ControllerContext,
  resource: Resource<T>,
  followed: FollowedObjects<T>,
  wanted: ReadonlyMap<string, WantedObject>,
): FlowKind<FlowObject> {
  return {
    wanted,
    objectOf: (name) => followed.lister.get({ name }),
    create: (object) => client.create(resource, object as T),
    update: (object) => client.update(resource, object as T),
    remove: ({ metadata: { name = '', uid, resourceVersion } }) =>
      client.delete(resource, { name }, { preconditions: { uid, resourceVersion } }),
  };
}
