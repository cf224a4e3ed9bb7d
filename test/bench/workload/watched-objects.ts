import { jsonBody } from '../client/create-operation.ts';
import type { WatchedObjects } from '../client/updater.ts';
import { configMapJson } from './config-map.ts';
import { configMapsPath, namespaces, nodeName, podName, podsPath } from './names.ts';
import { podJson, touchedAnnotation, touchedValue } from './pod.ts';

/** ConfigMaps, replaced as a whole. */
export function watchedConfigMaps(count: number): WatchedObjects {
  const name = (index: number): string => `watched-${index}`;
  const json = (index: number, update: number): string => configMapJson(name(index), update);
  return { path: configMapsPath(), count, name, json, update: { method: 'PUT', headers: jsonBody, body: json } };
}

/** Pods, each on a node of its own, of which an annotation changes. */
export function watchedPods(count: number): WatchedObjects {
  return {
    path: podsPath(namespaces.nodes),
    count,
    name: podName,
    json: (index) => podJson(index, namespaces.nodes, nodeName(index)),
    update: {
      method: 'PATCH',
      headers: 'Content-Type: application/merge-patch+json\r\n',
      body: (_index, update) => `{"metadata":{"annotations":{"${touchedAnnotation}":"${touchedValue(update)}"}}}`,
    },
  };
}
