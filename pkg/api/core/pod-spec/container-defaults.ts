import type {
  Container,
  ContainerPort,
  EnvVar,
  HTTPGetAction,
  LifecycleHandler,
  Probe,
} from '../../../generated/types/core-v1.ts';
import { imageTag } from './image-reference.ts';
import { roundResourceList } from './resource-list.ts';

/** Defaults of one container; init and ephemeral containers have the same ones. */
export function setContainerDefaults(container: Container): void {
  if (!container.imagePullPolicy) container.imagePullPolicy = pullPolicyFor(container.image ?? '');
  if (!container.terminationMessagePath) container.terminationMessagePath = '/dev/termination-log';
  if (!container.terminationMessagePolicy) container.terminationMessagePolicy = 'File';
  for (const port of container.ports ?? []) setPortDefaults(port);
  for (const variable of container.env ?? []) setEnvDefaults(variable);
  roundResourceList(container.resources.limits);
  roundResourceList(container.resources.requests);
  setProbeDefaults(container.livenessProbe);
  setProbeDefaults(container.readinessProbe);
  setProbeDefaults(container.startupProbe);
  setLifecycleHandlerDefaults(container.lifecycle?.postStart);
  setLifecycleHandlerDefaults(container.lifecycle?.preStop);
}

/** Images that move under their name are pulled at every start. */
export function pullPolicyFor(image: string): string {
  return imageTag(image) === 'latest' ? 'Always' : 'IfNotPresent';
}

/** On the host's network a container port is the node's port. */
export function setHostPortDefaults(container: Container): void {
  for (const port of container.ports ?? [])
    if (!port.hostPort && port.containerPort !== 0) port.hostPort = port.containerPort;
}

function setPortDefaults(port: ContainerPort): void {
  if (!port.protocol) port.protocol = 'TCP';
}

function setEnvDefaults(variable: EnvVar): void {
  const fieldRef = variable.valueFrom?.fieldRef;
  if (fieldRef !== undefined && !fieldRef.apiVersion) fieldRef.apiVersion = 'v1';
}

function setProbeDefaults(probe: Probe | undefined): void {
  if (probe === undefined) return;
  if (!probe.timeoutSeconds) probe.timeoutSeconds = 1;
  if (!probe.periodSeconds) probe.periodSeconds = 10;
  if (!probe.successThreshold) probe.successThreshold = 1;
  if (!probe.failureThreshold) probe.failureThreshold = 3;
  setHttpGetDefaults(probe.httpGet);
  if (probe.grpc !== undefined) probe.grpc.service ??= '';
}

function setLifecycleHandlerDefaults(handler: LifecycleHandler | undefined): void {
  setHttpGetDefaults(handler?.httpGet);
}

function setHttpGetDefaults(action: HTTPGetAction | undefined): void {
  if (action === undefined) return;
  if (!action.path) action.path = '/';
  if (!action.scheme) action.scheme = 'HTTP';
}
