import { dump } from 'js-yaml';
import { messageOf } from '../../codec/messages.ts';
import { stringifyEscaped } from '../../apimachinery/json/go-json.ts';
import { encodeProtobuf } from '../../codec/protobuf/protobuf-codec.ts';

/** The representations in which discovery documents are written. */
export type DocumentFormat = 'json' | 'yaml' | 'protobuf';

export const mediaTypes: Readonly<Record<DocumentFormat, string>> = {
  json: 'application/json',
  yaml: 'application/yaml',
  protobuf: 'application/vnd.kubernetes.protobuf',
};

/** `message` is the type in `proto/`, `meta/v1.APIGroup`. Documents contain only our own strings and lists. */
export function encodeDocument(
  document: { apiVersion?: string; kind?: string },
  message: string,
  format: DocumentFormat,
  pretty = false,
): Uint8Array {
  switch (format) {
    case 'json':
      return Buffer.from(`${stringifyEscaped(document, pretty ? 2 : undefined)}\n`);
    case 'yaml':
      return Buffer.from(encodeYaml(document));
    case 'protobuf':
      return encodeProtobuf(messageOf(message), document.apiVersion ?? '', document.kind ?? '', document);
  }
}

function encodeYaml(document: object): string {
  return dump(document, { sortKeys: true, lineWidth: -1, noRefs: true, seqNoIndent: true, quoteStyle: 'double' });
}
