import { systemClock } from '../../apimachinery/clock.ts';
import { clientContexts } from '../../controllers/controller-contexts.ts';
import { startControllers, type ControllerFactory } from '../../controllers/start-controllers.ts';
import type { Work, WorkContext } from './run-program.ts';

/** The work of a program that is a single controller. */
export function oneController(factory: ControllerFactory, context: WorkContext): Work {
  const { clients, leadership, metrics, onError } = context;
  const client = clients.openLeading(factory.name, leadership);
  const contexts = clientContexts(clients.open('informers'), {
    clientOf: () => client,
    queueMetrics: metrics.queueMetrics,
    metrics: metrics.controllerMetrics,
    onError,
  });
  const running = startControllers([factory], contexts, { clock: systemClock, onError });
  return {
    health: () => running.health(),
    async stop() {
      await running.stop();
      await contexts.stop();
    },
  };
}
