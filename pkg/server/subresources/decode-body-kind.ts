import { parseJson } from '../../apimachinery/json/json.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import type { KindLookup } from '../../api/scheme.ts';
import { decodeEnvelope } from '../../codec/protobuf/envelope.ts';
import { readYaml } from '../../codec/yaml.ts';
import { decodeObject } from '../verbs/decode-body.ts';
import { bodyMediaType } from '../answers/negotiation.ts';
import type { RequestContext } from '../request/request-context.ts';
import type { FieldValidation } from '../request/request-options.ts';
import { bodyKind, withBodyKinds } from './body-kinds.ts';

/**
 * Decodes the body of a subresource, of `kind` in one of `versions`, the first being the default. Throws 400, 413 or
 * 415.
 */
export function decodeBodyKind<T extends ApiObject>(
  context: RequestContext,
  scheme: KindLookup,
  kind: string,
  versions: readonly string[],
  validation: FieldValidation,
): T {
  const named = versions.length > 1 ? apiVersionOf(context) : undefined;
  const version = versions.find((v) => v === named) ?? versions[0]!;
  return decodeObject(context, withBodyKinds(scheme), bodyKind(scheme, version, kind), validation) as T;
}

/** What the body says of its version; undefined where it cannot be read, which decoding then complains about. */
function apiVersionOf({ body, headers, yaml, exchange }: RequestContext): unknown {
  const document = exchange.document as { apiVersion?: unknown } | undefined;
  if (document !== undefined) return document.apiVersion;
  try {
    switch (bodyMediaType(headers['content-type'])) {
      case 'protobuf':
        return decodeEnvelope(body).apiVersion;
      case 'yaml':
        return ((yaml ?? readYaml(body)).value as { apiVersion?: unknown }).apiVersion;
      case 'json':
        return (parseJson(body) as { apiVersion?: unknown }).apiVersion;
      case undefined:
        return undefined;
    }
  } catch {
    // A malformed body: the decoder that runs next reports what is wrong with it.
    return undefined;
  }
}
