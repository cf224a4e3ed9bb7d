import {
  Function as ProfiledFunction,
  Line,
  Location,
  Mapping,
  Profile,
  Sample,
  StringTable,
  ValueType,
} from 'pprof-format';

/** A function as a profile shows it. */
export interface ProfileFrame {
  readonly name: string;
  readonly file: string;
  /** From 1; 0 where there is none. */
  readonly line: number;
  readonly column: number;
}

/** What a number counts, such as `cpu` in `nanoseconds`. */
export interface ProfileValue {
  readonly type: string;
  readonly unit: string;
}

export interface ProfileHead {
  /** One for each value of a sample; tools show the last one by default. */
  readonly values: readonly ProfileValue[];
  /** So much of `periodValue` lies between two samples. */
  readonly periodValue: ProfileValue;
  readonly period: number;
  /** Milliseconds of the epoch. */
  readonly takenMs: number;
  readonly durationNs?: number;
}

/**
 * There is one program in a profile; that its functions are named keeps tools from asking the server for names of
 * addresses.
 */
const MAPPING_ID = 1;
const NANOS_PER_MS = 1_000_000n;

/** Puts a profile together in the format of pprof (`profile.proto` of github.com/google/pprof). */
export class ProfileWriter {
  private readonly strings = new StringTable();
  private readonly locations = new Map<string, number>();
  private readonly profile: Profile;

  constructor({ values, periodValue, period, takenMs, durationNs = 0 }: ProfileHead) {
    this.profile = new Profile({
      stringTable: this.strings,
      sampleType: values.map((value) => this.value(value)),
      periodType: this.value(periodValue),
      period,
      timeNanos: BigInt(Math.round(takenMs)) * NANOS_PER_MS,
      durationNanos: durationNs,
      mapping: [
        new Mapping({
          id: MAPPING_ID,
          filename: this.strings.dedup('binnacle'),
          hasFunctions: true,
          hasFilenames: true,
          hasLineNumbers: true,
        }),
      ],
    });
  }

  /** The number under which samples name a function. */
  location({ name, file, line, column }: ProfileFrame): number {
    const key = `${name}\n${file}\n${line}\n${column}`;
    const known = this.locations.get(key);
    if (known !== undefined) return known;
    const id = this.locations.size + 1;
    this.locations.set(key, id);
    const text = this.strings.dedup(name);
    this.profile.function.push(
      new ProfiledFunction({ id, name: text, systemName: text, filename: this.strings.dedup(file), startLine: line }),
    );
    this.profile.location.push(
      new Location({ id, mappingId: MAPPING_ID, line: [new Line({ functionId: id, line, column })] }),
    );
    return id;
  }

  /** `stack`: locations, the innermost first; `values`: whole numbers in the order of the head's. */
  sample(stack: readonly number[], values: readonly number[]): void {
    this.profile.sample.push(new Sample({ locationId: [...stack], value: [...values] }));
  }

  encode(): Uint8Array {
    return this.profile.encode();
  }

  private value({ type, unit }: ProfileValue): ValueType {
    return new ValueType({ type: this.strings.dedup(type), unit: this.strings.dedup(unit) });
  }
}
