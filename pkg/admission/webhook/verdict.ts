import { goQuote } from '../../apimachinery/go-format.ts';
import { JsonError, parseJson } from '../../apimachinery/json.ts';
import { getKey } from '../../apimachinery/own-keys.ts';
import type { AdmissionResponse } from '../../generated/types/admission-v1.ts';
import { normalize } from '../../codec/normalize.ts';
import { schemaOf } from '../../codec/schemas.ts';
import type { ReviewVersion } from './webhook.ts';

/** What a webhook answered, checked. */
export interface Verdict {
  readonly response: AdmissionResponse;
  readonly patch: WebhookPatch | undefined;
}

/** What a webhook wants changed. */
export interface WebhookPatch {
  /** Of a JSON patch; there is one at least. */
  readonly operations: readonly unknown[];
  /** Of the patch as sent. */
  readonly bytes: number;
}

/** An answer that is no answer to the question. The message is the server's own. */
export class InvalidVerdictError extends Error {}

const REVIEW_VERSIONS = ['admission.k8s.io/v1', 'admission.k8s.io/v1beta1'];

/** Throws `InvalidVerdictError`; a patch that is no JSON throws `PatchTextError`. */
export function readVerdict(bytes: Uint8Array, version: ReviewVersion, uid: string, mayPatch: boolean): Verdict {
  const response = responseOf(parsed(bytes), version);
  // The older version never had its answers checked.
  if (version === 'v1') checkAnswer(response, uid, mayPatch);
  const text = response.patch ?? '';
  if (!mayPatch || text === '') return { response, patch: undefined };
  if (version === 'v1' && response.patchType !== 'JSONPatch') throw new InvalidVerdictError(`unsupported patch type ${goQuote(response.patchType ?? '')}`);
  return { response, patch: patchOf(text) };
}

/** A patch that cannot be read: the server cannot tell what the webhook wants. */
export class PatchTextError extends Error {}

function patchOf(base64: string): WebhookPatch | undefined {
  const bytes = Buffer.from(base64, 'base64');
  let patch: unknown;
  try {
    patch = parseJson(bytes);
  } catch (error) {
    throw new PatchTextError((error as Error).message);
  }
  if (patch !== null && !Array.isArray(patch)) throw new PatchTextError('json: cannot unmarshal a value that is no array into Go value of type jsonpatch.Patch');
  return patch === null || patch.length === 0 ? undefined : { operations: patch, bytes: bytes.length };
}

function parsed(bytes: Uint8Array): object {
  let document: unknown;
  try {
    document = parseJson(bytes);
  } catch (error) {
    if (error instanceof JsonError) throw new InvalidVerdictError(`couldn't get version/kind; json parse error: ${error.message}`);
    throw error;
  }
  if (document === null || typeof document !== 'object' || Array.isArray(document)) throw new InvalidVerdictError("couldn't get version/kind; json parse error: the answer is no object");
  return document;
}

function responseOf(document: object, version: ReviewVersion): AdmissionResponse {
  const [kind, apiVersion] = [getKey(document, 'kind') ?? '', getKey(document, 'apiVersion') ?? ''];
  const isReview = kind === 'AdmissionReview' && apiVersion === `admission.k8s.io/${version}`;
  const isSilent = kind === '' && apiVersion === '';
  if (!isReview && !(version === 'v1beta1' && isSilent)) {
    // An answer in the other version is read as nothing at all.
    const read = isSilent || (kind === 'AdmissionReview' && REVIEW_VERSIONS.includes(String(apiVersion))) ? '/, Kind=' : `${String(apiVersion)}, Kind=${String(kind)}`;
    throw new InvalidVerdictError(`expected webhook response of admission.k8s.io/${version}, Kind=AdmissionReview, got ${read}`);
  }
  const response = getKey(document, 'response') ?? undefined;
  if (response === undefined) throw new InvalidVerdictError('webhook response was absent');
  try {
    return normalize<AdmissionResponse>(response, schemaOf('admission/v1.AdmissionResponse'));
  } catch (error) {
    throw new InvalidVerdictError((error as Error).message);
  }
}

function checkAnswer({ uid, patch = '', patchType }: AdmissionResponse, asked: string, mayPatch: boolean): void {
  if (uid !== asked) throw new InvalidVerdictError(`expected response.uid=${goQuote(asked)}, got ${goQuote(uid)}`);
  if (!mayPatch) {
    if (patch !== '') throw new InvalidVerdictError('validating webhook may not return response.patch');
    if (patchType !== undefined) throw new InvalidVerdictError('validating webhook may not return response.patchType');
    return;
  }
  if (patch !== '' && patchType === undefined) throw new InvalidVerdictError('webhook returned response.patch but not response.patchType');
  if (patch === '' && patchType !== undefined) throw new InvalidVerdictError('webhook returned response.patchType but not response.patch');
  if (patchType === '') throw new InvalidVerdictError('webhook returned invalid response.patchType of ""');
}
