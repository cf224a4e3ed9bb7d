import { badRequest, failureStatus, internalError, StatusError } from '../../apimachinery/errors/status-error.ts';

/** Reasons and words for codes with which an agent may refuse. */
const refusals = new Map<number, readonly [reason: string, message: string]>([
  [401, ['Unauthorized', 'the server has asked for the client to provide credentials']],
  [404, ['NotFound', 'the server could not find the requested resource']],
  [405, ['MethodNotAllowed', 'the server does not allow this method on the requested resource']],
  [409, ['Conflict', 'the server reported a conflict']],
  [422, ['Invalid', 'the server rejected our request due to an error in our request']],
  [429, ['TooManyRequests', 'the server has received too many requests and has asked us to try again later']],
  [503, ['ServiceUnavailable', 'the server is currently unable to handle the request']],
  [
    504,
    [
      'Timeout',
      'the server was unable to return a response in the time allotted, but may still be processing the request',
    ],
  ],
]);

/** The error for an agent's unexpected answer. `text`: its message; `resource` and `name`: of the request. */
export function agentRefusal(code: number, text: string, resource: string, name: string): StatusError {
  if (code === 400) return badRequest(text);
  if (code === 500) return internalError(text);
  const [reason, message] = refusals.get(code) ?? otherwise(code, text);
  return new StatusError(failureStatus(code, reason, `${message} ( ${resource} ${name})`, { name, kind: resource }));
}

function otherwise(code: number, text: string): readonly [reason: string, message: string] {
  if (code === 403) return ['Forbidden', text];
  if (code === 406)
    return ['NotAcceptable', text || 'the server was unable to respond with a content type that the client supports'];
  if (code === 415) return ['UnsupportedMediaType', text];
  if (code > 500)
    return [
      'InternalError',
      `an error on the server (${JSON.stringify(text)}) has prevented the request from succeeding`,
    ];
  return ['', `the server responded with the status code ${code} but did not return more information`];
}
