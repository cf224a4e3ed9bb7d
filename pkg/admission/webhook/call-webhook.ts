import type { AdmissionResponse } from '../../generated/types/admission-v1.ts';
import { passOnAnnotations } from '../pass-on-annotations.ts';
import { timeLeftMs } from '../time-left.ts';
import { FailedCallError, failedCall } from './failed-call.ts';
import { reviewOf } from './review.ts';
import type { ReviewedObject } from './reviewed-object.ts';
import {
  InvalidPatchError,
  InvalidVerdictError,
  patchOf,
  readVerdict,
  UnreadableAnswerError,
  type WebhookPatch,
} from './verdict.ts';
import type { WebhookClients } from './webhook-clients.ts';
import type { Match } from './webhook-index.ts';
import { goQuote } from '../../apimachinery/values/go-format.ts';
import { badRequest, failureStatus, StatusError, type StatusDetails } from '../../apimachinery/errors/status-error.ts';
import type { Status } from '../../generated/types/meta-v1.ts';

/** Limit of a message for the client. */
const WARNINGS_MAX = 1000;

/**
 * Calls one webhook. Returns its patch, undefined where it has none. Throws `FailedCallError` where no answer is
 * usable, and a StatusError where the answer denies the request.
 */
export async function callWebhook(
  { webhook, groupVersion }: Match,
  reviewed: ReviewedObject,
  clients: WebhookClients,
  mayPatch: boolean,
): Promise<WebhookPatch | undefined> {
  const { name, reviewVersion, takesDryRuns } = webhook;
  if (reviewed.request.dryRun && !takesDryRuns) throw dryRunRefused(name);
  if (reviewVersion === undefined)
    throw new FailedCallError(
      name,
      'could not create admission objects: webhook does not accept known AdmissionReview versions (v1, v1beta1)',
      400,
    );
  const { uid, text } = reviewOf(reviewed, groupVersion, reviewVersion);
  const answer = await post(
    webhook,
    text,
    Math.ceil(Math.min(webhook.timeoutMs, timeLeftMs(reviewed.request))),
    clients,
  );
  const response = orFailedCall(name, () => readVerdict(answer, reviewVersion, uid, mayPatch));
  tellOf(name, response, reviewed);
  if (!response.allowed) throw denial(name, response.status);
  return mayPatch ? orFailedCall(name, () => patchOf(response, reviewVersion)) : undefined;
}

async function post(
  webhook: Match['webhook'],
  text: string,
  timeoutMs: number,
  clients: WebhookClients,
): Promise<Uint8Array> {
  let url = '';
  try {
    const route = clients.routeTo(webhook);
    const query = `timeout=${Math.ceil(timeoutMs / 1000)}s`;
    url = `${route.url}?${query}`;
    return await route.client.post(text, { query, signal: AbortSignal.timeout(timeoutMs) });
  } catch (error) {
    throw url === ''
      ? new FailedCallError(webhook.name, `could not get REST client: ${(error as Error).message}`, 500)
      : failedCall(webhook.name, url, error);
  }
}

function orFailedCall<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof InvalidVerdictError)
      throw new FailedCallError(name, `received invalid webhook response: ${error.message}`, 503);
    if (error instanceof UnreadableAnswerError)
      throw new FailedCallError(name, `failed to call webhook: ${error.message}`, 503);
    if (error instanceof InvalidPatchError) throw new FailedCallError(name, error.message, 503);
    throw error;
  }
}

/** Passes on a webhook's warnings and annotations, also where it denies the request. */
function tellOf(
  name: string,
  { auditAnnotations, warnings = [] }: AdmissionResponse,
  { request: { notes } }: ReviewedObject,
): void {
  passOnAnnotations(notes, name, auditAnnotations);
  for (const warning of warnings.slice(0, WARNINGS_MAX)) notes.warn(warning);
}

/** A webhook's denial, with the code and reason that it chose; never a success. */
function denial(webhook: string, said: Status | undefined): StatusError {
  const { message = '', reason = '', details } = said ?? {};
  const deniedBy = `admission webhook ${goQuote(webhook)} denied the request`;
  const why = message || reason;
  const code = Number(said?.code ?? 0);
  const text = why === '' ? `${deniedBy} without explanation` : `${deniedBy}: ${why}`;
  return new StatusError(
    failureStatus(code >= 400 && code <= 599 ? code : 400, reason, text, details as StatusDetails | undefined),
  );
}

function dryRunRefused(webhook: string): StatusError {
  return badRequest(`admission webhook ${goQuote(webhook)} does not support dry run`);
}
