import { parseArgs } from 'node:util';
import { convertObject, formats, type Format } from '../../pkg/codec/convert-object.ts';
import { ENCRYPTED_PREFIX, isEncrypted } from '../../pkg/storage/encryption/prefixed-transformers.ts';

const usage = `Usage: binnacle convert [--from json|yaml|protobuf] --to json|yaml|protobuf

Reads one object, or the raw value of a key in a store, on standard input and writes it in another form. Without --from the form is
recognized by its first bytes.
`;

/** Converts standard input to standard output. Exit status 2: wrong options; 1: the input is no object. */
export async function convert(args: readonly string[]): Promise<number> {
  let values: { from?: string; to?: string; help?: boolean };
  try {
    ({ values } = parseArgs({
      args: [...args],
      options: { from: { type: 'string' }, to: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
    }));
  } catch (error) {
    process.stderr.write(`binnacle convert: ${(error as Error).message}\n\n${usage}`);
    return 2;
  }
  if (values.help === true) {
    process.stdout.write(usage);
    return 0;
  }
  const known = (format: string | undefined): format is Format =>
    (formats as readonly (string | undefined)[]).includes(format);
  if (!known(values.to) || (values.from !== undefined && !known(values.from))) {
    process.stderr.write(`binnacle convert: --to and --from take ${formats.join(', ')}\n\n${usage}`);
    return 2;
  }
  const tell = (text: string): void => {
    process.stderr.write(`binnacle convert: ${text}\n`);
  };
  const input = await standardInput();
  if (isEncrypted(input)) {
    tell(`the value is encrypted (${encryptionOf(input)}): read the object from a server that has the key`);
    return 1;
  }
  try {
    process.stdout.write(
      convertObject(input, values.from, values.to, (path) =>
        tell(`left out, since the kind has no such field: ${path}`),
      ),
    );
    return 0;
  } catch (error) {
    tell((error as Error).message);
    return 1;
  }
}

async function standardInput(): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** `aescbc:v1:key1` of `k8s:enc:aescbc:v1:key1:…`. */
function encryptionOf(input: Buffer): string {
  return input.subarray(ENCRYPTED_PREFIX.length).toString('latin1').split(':', 3).join(':').slice(0, 100);
}
