import { SeriesEventRecorder } from '../client/events/series-event-recorder.ts';
import type { ControllerContext } from '../controllers/controller-context.ts';
import { ClusterCache } from './cluster-cache.ts';
import { Nominations } from './nominations.ts';
import { schedulingPlugins } from './plugins.ts';
import { PodBinder } from './pod-binder.ts';
import { reportFailure, reportUnschedulable, type UnschedulableOptions } from './report-unschedulable.ts';
import { Scheduler } from './scheduler.ts';
import { SchedulerInformers } from './scheduler-informers.ts';

const BINDINGS_IN_FLIGHT = 64;

export interface SchedulerSettings {
  /** Pods that name this scheduler are its own. Default: `default-scheduler`, which pods name that name none. */
  readonly name?: string;
  /** From 0 up to, not including, 1. */
  readonly random?: () => number;
}

/** A scheduler with every plugin, made of what controllers are made of. */
export function createScheduler(context: ControllerContext, settings: SchedulerSettings = {}): Scheduler {
  const { name = 'default-scheduler', random = Math.random } = settings;
  const { client, clock, onError } = context;
  const informers = new SchedulerInformers(context.informers);
  const cache = new ClusterCache(informers.lookups);
  const nominations = new Nominations();
  const recorder = new SeriesEventRecorder({
    client,
    source: { component: name },
    clock,
    random,
    onError: (error) => onError(error, `events of ${name}`),
  });
  const reports: UnschedulableOptions = {
    client,
    recorder,
    clock,
    filters: schedulingPlugins.filters,
    view: () => cache.view(),
    budgets: informers.budgets,
    nominations,
    written: (pod) => informers.writtenPods.add(pod),
  };
  return new Scheduler({
    name,
    plugins: schedulingPlugins,
    clock,
    random,
    informers,
    cache,
    nominations,
    recorder,
    binder: new PodBinder({
      client,
      recorder,
      clock,
      volumes: informers.lookups.volumes,
      devices: informers.lookups.devices,
      isThere: (pod) => informers.isThere(pod),
      inFlightMax: BINDINGS_IN_FLIGHT,
    }),
    unschedulable: (pod, diagnosis) => reportUnschedulable(pod, diagnosis, reports),
    failed: (pod, error) => reportFailure(pod, error, reports),
    onError,
  });
}
