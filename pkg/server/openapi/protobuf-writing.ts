import protobuf from 'protobufjs/minimal.js';

/** Helpers for writing OpenAPI documents in protobuf. Absent and empty values are left out, as in proto3. */

export type Writer = protobuf.Writer;

const lengthDelimited = 2;

export function writeString(w: Writer, field: number, value: string | undefined): void {
  if (value !== undefined && value !== '') w.uint32((field << 3) | lengthDelimited).string(value);
}

export function writeStrings(w: Writer, field: number, values: readonly string[] | undefined): void {
  for (const value of values ?? []) w.uint32((field << 3) | lengthDelimited).string(value);
}

export function writeBool(w: Writer, field: number, value: boolean | undefined): void {
  if (value === true) w.uint32(field << 3).bool(true);
}

/** A nested message, written by `write`; nothing when `value` is absent. */
export function writeMessage<T>(
  w: Writer,
  field: number,
  value: T | undefined,
  write: (w: Writer, value: T) => void,
): void {
  if (value === undefined) return;
  w.uint32((field << 3) | lengthDelimited).fork();
  write(w, value);
  w.ldelim();
}

/** Entries of an object as repeated `{name = 1, value = 2}`. */
export function writeNamed<T>(
  w: Writer,
  field: number,
  values: Readonly<Record<string, T | undefined>> | undefined,
  write: (w: Writer, value: T) => void,
): void {
  for (const [name, value] of Object.entries(values ?? {})) {
    if (value !== undefined) writeMessage(w, field, value, (inner, v) => writeEntry(inner, name, v, write));
  }
}

export function writeEntry<T>(w: Writer, name: string, value: T, write: (w: Writer, value: T) => void): void {
  writeString(w, 1, name);
  writeMessage(w, 2, value, write);
}

/** Any value as text in YAML; JSON is YAML. */
export function writeAny(w: Writer, value: unknown): void {
  writeString(w, 2, JSON.stringify(value));
}

export function writeAnys(w: Writer, field: number, values: readonly unknown[] | undefined): void {
  for (const value of values ?? []) writeMessage(w, field, value, writeAny);
}

/** The members whose names start with `x-`. */
export function writeExtensions(w: Writer, field: number, object: object): void {
  for (const [name, value] of Object.entries(object)) {
    if (name.startsWith('x-') && value !== undefined)
      writeMessage(w, field, value as unknown, (inner, v) => writeEntry(inner, name, v, writeAny));
  }
}

/** The bytes of what `write` writes. */
export function bytesOf(write: (w: Writer) => void): Uint8Array {
  const w = protobuf.Writer.create();
  write(w);
  return w.finish();
}

/** A length-delimited field made of pieces that are there already. */
export function fieldOf(field: number, pieces: readonly Uint8Array[]): Uint8Array[] {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  return [bytesOf((w) => w.uint32((field << 3) | lengthDelimited).uint32(length)), ...pieces];
}
