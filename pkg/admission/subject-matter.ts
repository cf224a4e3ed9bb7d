import type { AdmissionRequest, Operation } from './admission.ts';

/** True for requests on an object of the resource itself, not on a path below it. */
export function concerns(request: AdmissionRequest, group: string, resource: string, ...operations: readonly Operation[]): boolean {
  const { definition } = request;
  return request.subresource === '' && definition.resource === resource && definition.group === group && operations.includes(request.operation);
}
