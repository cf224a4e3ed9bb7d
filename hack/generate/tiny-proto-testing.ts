import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * For tests: a few types in a tree of their own, laid out as in the repository, so that generated modules find the
 * codec functions.
 */

const repository = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');

export interface Tree {
  readonly proto: string;
  readonly out: string;
  write(file: string, text: string): void;
  remove(): void;
}

const base = (body: string, pkg: string, options = ''): string =>
  `syntax = "proto2";\npackage ${pkg};\nimport "options.proto";\n${options}\n${body}\n`;

export const metaProto = base(
  `
  // A time.
  message Time { optional int64 seconds = 1; optional int32 nanos = 2; }
  message ObjectMeta {
    optional string name = 1 [(omitempty) = true];
    // When it was made.
    optional Time creationTimestamp = 8 [(omitempty) = true, (omitzero) = true];
    map<string, string> labels = 11 [(omitempty) = true];
  }`,
  'meta.v1',
);

export const quantityProto = base('message Quantity { optional string string = 1; }', 'resource');

export const zooProto = base(
  `
  // An animal of the zoo.
  // Well kept.
  message Animal {
    option (kind) = true;
    option (namespaced) = true;
    // Standard metadata */ with an end of comment.
    optional meta.v1.ObjectMeta metadata = 1 [(omitempty) = true];
    optional AnimalSpec spec = 2 [(required) = true];
  }
  message AnimalSpec {
    // Last in JSON's order of numbers, first in that of declaration.
    optional int32 legs = 9 [(pointer) = true, (omitempty) = true, (default_json) = "4"];
    optional string species = 1;
    optional int64 weight = 2 [(omitempty) = true];
    repeated Meal meals = 3 [(omitempty) = true, (patch_strategy) = "merge", (patch_merge_key) = "name", (list_type) = "map", (list_map_keys) = "name,hour"];
    map<string, Meal> byHour = 4 [(omitempty) = true];
    map<string, Names> aliases = 5 [(omitempty) = true];
    repeated int32 ages = 6 [(omitempty) = true];
    optional bool tame = 7 [(json) = "is-tame"];
    optional Keeper keeper = 8 [(inline) = true];
    optional string mood = 10 [(constants) = "Mood", (omitempty) = true];
    optional resource.Quantity food = 11 [(omitempty) = true];
    optional AnimalSpec parent = 12 [(pointer) = true, (omitempty) = true];
    repeated string toys = 13;
    optional bytes picture = 14 [(omitempty) = true];
    optional Names tricks = 15;
  }
  message Meal { option (shared) = true; optional string name = 1; optional int32 hour = 2 [(omitempty) = true]; }
  message Keeper { optional string keeperName = 1 [(omitempty) = true]; optional bool onDuty = 2; }
  message Ticket { optional bytes stamp = 1; map<string, bytes> prints = 2 [(omitempty) = true]; }
  message Names { option (json_list) = true; repeated string items = 1; }
  message Mood { option (string_constants) = "Calm,Wild"; }
  message Sign { option (kind) = true; option (json_only) = true; optional string text = 1 [(required) = true]; }`,
  'zoo.v1',
  'option (group) = "zoo.example.com";\noption (version) = "v1";',
);

/** The types above, in files of their own. */
export function tinyTree(): Tree {
  const root = mkdtempSync(path.join(tmpdir(), 'binnacle-generate-'));
  const proto = path.join(root, 'proto');
  mkdirSync(path.join(root, 'pkg'));
  writeFileSync(path.join(root, 'package.json'), '{"type":"module"}');
  for (const pkg of ['codec', 'apimachinery'])
    symlinkSync(path.join(repository, 'pkg', pkg), path.join(root, 'pkg', pkg));
  const write = (file: string, text: string): void => {
    const full = path.join(proto, file);
    mkdirSync(path.dirname(full), { recursive: true });
    writeFileSync(full, text);
  };
  write('options.proto', 'this file is not read');
  write('meta/v1/types.proto', metaProto);
  write('resource/types.proto', quantityProto);
  write('zoo/v1/types.proto', zooProto);
  return {
    proto,
    out: path.join(root, 'pkg/generated'),
    write,
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}
