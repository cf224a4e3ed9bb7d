import { gunzipSync } from 'node:zlib';
import protobuf from 'protobufjs';

/** For tests: reads profiles by the published schema, as other tools do. */

const schema = `
syntax = "proto3";
message ValueType { int64 type = 1; int64 unit = 2; }
message Sample { repeated uint64 location_id = 1; repeated int64 value = 2; }
message Mapping { uint64 id = 1; int64 filename = 5; bool has_functions = 7; }
message Location { uint64 id = 1; uint64 mapping_id = 2; repeated Line line = 4; }
message Line { uint64 function_id = 1; int64 line = 2; }
message Function { uint64 id = 1; int64 name = 2; int64 filename = 4; int64 start_line = 5; }
message Profile {
  repeated ValueType sample_type = 1;
  repeated Sample sample = 2;
  repeated Mapping mapping = 3;
  repeated Location location = 4;
  repeated Function function = 5;
  repeated string string_table = 6;
  int64 time_nanos = 9;
  int64 duration_nanos = 10;
  ValueType period_type = 11;
  int64 period = 12;
}`;
const Profile = protobuf.parse(schema).root.lookupType('Profile');

export interface ReadSample {
  /** The innermost function first. */
  readonly stack: readonly string[];
  readonly files: readonly string[];
  readonly values: readonly number[];
}

export interface ReadProfile {
  /** As in `cpu/nanoseconds`. */
  readonly values: readonly string[];
  readonly period: string;
  readonly takenMs: number;
  readonly durationMs: number;
  readonly samples: readonly ReadSample[];
}

/** Reads what `/debug/pprof/` answers; throws where a number points at nothing. */
export function readProfile(gzipped: Uint8Array): ReadProfile {
  // `any`: the message as reflection gives it.
  const read = Profile.toObject(Profile.decode(gunzipSync(gzipped)), {
    longs: Number,
    arrays: true,
    defaults: true,
  }) as any;
  const text = (index: number): string => present(read.stringTable[index]);
  const valueName = ({ type, unit }: { type: number; unit: number }): string => `${text(type)}/${text(unit)}`;
  const byId = (list: { id: number }[]): Map<number, any> => new Map(list.map((item) => [item.id, item]));
  const [functions, locations, mappings] = [byId(read.function), byId(read.location), byId(read.mapping)];
  const functionAt = (location: number): any => {
    const { mappingId, line } = present(locations.get(location));
    present(mappings.get(mappingId));
    return present(functions.get(line[0].functionId));
  };
  return {
    values: read.sampleType.map(valueName),
    period: `${read.period} ${valueName(read.periodType)}`,
    takenMs: read.timeNanos / 1e6,
    durationMs: read.durationNanos / 1e6,
    samples: read.sample.map(({ locationId, value }: { locationId: number[]; value: number[] }) => ({
      stack: locationId.map((id) => text(functionAt(id).name)),
      files: locationId.map((id) => text(functionAt(id).filename)),
      values: value,
    })),
  };
}

function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('the profile names something that is not in it');
  return value;
}
