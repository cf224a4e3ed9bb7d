import { failureStatus, forbidden, StatusError, type StatusCause } from '../apimachinery/errors/status-error.ts';
import type { AdmissionRequest } from './admission.ts';

/** The 403 with which plugins refuse; names the object by its name, by its generateName, or not at all. */
export function refusal(request: AdmissionRequest, message: string, causes?: StatusCause[]): StatusError {
  const { definition, object } = request;
  const name = request.name || object?.metadata?.name || object?.metadata?.generateName || 'Unknown';
  const error = forbidden({ group: definition.group, resource: definition.resource }, name, message);
  if (causes === undefined) return error;
  return new StatusError({ ...error.status, details: { ...error.status.details, causes } });
}

/** A refusal that stock servers answer as an internal error: 500, without a reason. */
export function plainFailure(message: string): StatusError {
  return new StatusError(failureStatus(500, '', message));
}
