import { goQuote } from '../../apimachinery/values/go-format.ts';
import { JsonError, parseJson } from '../../apimachinery/json/json.ts';
import { getKey } from '../../apimachinery/json/own-keys.ts';
import { versionOf } from '../../api/scheme.ts';
import type { AdmissionResponse } from '../../generated/types/admission-v1.ts';
import { normalize } from '../../codec/normalize.ts';
import { schemaOf } from '../../codec/schemas.ts';
import type { ReviewVersion } from './webhook.ts';

/** The change of a webhook. */
export interface WebhookPatch {
  /** Of a JSON patch; there is one at least. */
  readonly operations: readonly unknown[];
  /** Of the patch as sent. */
  readonly bytes: number;
}

/** An answer that is no review at all: the call has failed. The message is the server's own. */
export class UnreadableAnswerError extends Error {}

/** A review that is no answer to the request. The message is the server's own. */
export class InvalidVerdictError extends Error {}

/** An invalid patch. */
export class InvalidPatchError extends Error {}

const GROUP = 'admission.k8s.io';
const KIND = 'AdmissionReview';
const REVIEW_VERSIONS: readonly string[] = [`${GROUP}/v1`, `${GROUP}/v1beta1`];
const JSON_PATCH = 'JSONPatch';

/** A webhook's answer to the request `uid`. Throws `UnreadableAnswerError` and `InvalidVerdictError`. */
export function readVerdict(
  bytes: Uint8Array,
  version: ReviewVersion,
  uid: string,
  mayPatch: boolean,
): AdmissionResponse {
  const document = parsed(bytes);
  const { kind, apiVersion } = namedKind(document, version);
  const response = responseOf(document);
  // The older version never had its answers checked, nor had they to name their kind.
  if (version === 'v1' && response.uid !== uid)
    throw new InvalidVerdictError(`expected response.uid=${goQuote(uid)}, got ${goQuote(response.uid)}`);
  if (
    (version === 'v1' || kind !== '' || apiVersion !== '') &&
    (kind !== KIND || apiVersion !== `${GROUP}/${version}`)
  ) {
    throw new InvalidVerdictError(
      `expected webhook response of ${GROUP}/${version}, Kind=${KIND}, got ${apiVersion || '/'}, Kind=${kind}`,
    );
  }
  if (version === 'v1') checkPatchFields(response, mayPatch);
  return response;
}

/**
 * The patch of a response that allows, undefined where it changes nothing. The older version knew one type alone.
 * Throws `InvalidPatchError`.
 */
export function patchOf(
  { patch: base64 = '', patchType }: AdmissionResponse,
  version: ReviewVersion,
): WebhookPatch | undefined {
  if (base64 === '') return undefined;
  const bytes = Buffer.from(base64, 'base64');
  let patch: unknown;
  try {
    patch = parseJson(bytes);
  } catch (error) {
    throw new InvalidPatchError(`received undecodable patch in webhook response: ${(error as Error).message}`);
  }
  if (patch !== null && !Array.isArray(patch)) {
    throw new InvalidPatchError(
      'received undecodable patch in webhook response: json: cannot unmarshal a value that is no array into Go value of type jsonpatch.Patch',
    );
  }
  if (patch === null || patch.length === 0) return undefined;
  if (version === 'v1' && patchType !== JSON_PATCH)
    throw new InvalidPatchError(`unsupported patch type ${goQuote(patchType ?? '')}`);
  return { operations: patch, bytes: bytes.length };
}

function parsed(bytes: Uint8Array): object {
  if (bytes.length === 0) throw new UnreadableAnswerError('0-length response');
  let document: unknown;
  try {
    document = parseJson(bytes);
  } catch (error) {
    if (error instanceof JsonError)
      throw new UnreadableAnswerError(`couldn't get version/kind; json parse error: ${error.message}`);
    throw error;
  }
  if (document === null || typeof document !== 'object' || Array.isArray(document))
    throw new UnreadableAnswerError("couldn't get version/kind; json parse error: the answer is no object");
  return document;
}

/** The type of an answer. Missing parts are those of the request, as far as parsing goes. */
function namedKind(document: object, version: ReviewVersion): { readonly kind: string; readonly apiVersion: string } {
  const [kind, apiVersion] = ['kind', 'apiVersion'].map((name) => {
    const value = getKey<unknown>(document, name) ?? '';
    if (typeof value !== 'string')
      throw new UnreadableAnswerError(
        `couldn't get version/kind; json parse error: json: cannot unmarshal ${typeof value} into Go struct field .${name} of type string`,
      );
    return value;
  }) as [string, string];
  const readAs = apiVersion || `${GROUP}/${version}`;
  if ((kind || KIND) !== KIND || !REVIEW_VERSIONS.includes(readAs))
    throw new UnreadableAnswerError(`no kind ${goQuote(kind)} is registered for version ${goQuote(apiVersion)}`);
  if (readAs !== `${GROUP}/${version}`)
    throw new UnreadableAnswerError(
      `converting (${versionOf(readAs)}.${KIND}) to (${version}.${KIND}): unknown conversion`,
    );
  return { kind, apiVersion };
}

function responseOf(document: object): AdmissionResponse {
  const response = getKey(document, 'response') ?? undefined;
  if (response === undefined) throw new InvalidVerdictError('webhook response was absent');
  try {
    return normalize<AdmissionResponse>(response, schemaOf('admission/v1.AdmissionResponse'));
  } catch (error) {
    throw new UnreadableAnswerError((error as Error).message);
  }
}

function checkPatchFields({ patch = '', patchType }: AdmissionResponse, mayPatch: boolean): void {
  if (!mayPatch) {
    if (patch !== '') throw new InvalidVerdictError('validating webhook may not return response.patch');
    if (patchType !== undefined) throw new InvalidVerdictError('validating webhook may not return response.patchType');
    return;
  }
  if (patch !== '' && patchType === undefined)
    throw new InvalidVerdictError('webhook returned response.patch but not response.patchType');
  if (patch === '' && patchType !== undefined)
    throw new InvalidVerdictError('webhook returned response.patchType but not response.patch');
  if (patchType === '') throw new InvalidVerdictError('webhook returned invalid response.patchType of ""');
}
