/** Small random source with a seed (mulberry32), so that a failure can be had again. */
export class Random {
  private state: number;

  constructor(seed: number) {
    this.state = seed >>> 0;
  }

  /** In [0, 1). */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let t = this.state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  }

  below(max: number): number {
    return Math.floor(this.next() * max);
  }

  pick<T>(from: readonly T[]): T {
    return from[this.below(from.length)]!;
  }
}

/** What breaks parsers: structure, limits of numbers, names of JavaScript's own, escapes, broken encodings. */
const tokens: readonly Buffer[] = [
  '{',
  '}',
  '[',
  ']',
  '"',
  ':',
  ',',
  'null',
  'true',
  'false',
  '0',
  '-1',
  '1e999',
  '-0',
  '9223372036854775808',
  '1.5',
  '0x10',
  '__proto__',
  'constructor',
  'toString',
  '""',
  '{}',
  '[]',
  '[null]',
  '{"":null}',
  '"\\u0000"',
  '"\\ud800"',
  '\n',
  '\t',
  ' ',
  '\r\n',
  '%00',
  '%2f',
  '%',
  '..',
  '/',
  '//',
  '&a=',
  '*a',
  '&a ',
  '<<: ',
  '!!js/function',
  '- ',
  '$patch',
  '"$patch":"delete",',
  '"$retainKeys":["a"],',
  '"$setElementOrder/x":[1],',
  '=',
  '!=',
  ' in (',
  ' notin (',
  ')',
  '!',
  '==',
  'k8s\0',
  '\0',
  '\u{10ffff}',
  'é',
  '100m',
  '1Ki',
  '1E',
  '2020-13-45T25:61:61Z',
  '-9999-01-01T00:00:00Z',
].map((text) => Buffer.from(text));
const bytes: readonly number[] = [0, 1, 0x0a, 0x22, 0x7f, 0x80, 0xc0, 0xff];

/** One to eight random changes of `seed`: bytes, tokens, cuts, doublings, pieces of `other`. */
export function mutate(seed: Uint8Array, other: Uint8Array, random: Random): Buffer {
  let input: Buffer = Buffer.from(seed);
  for (let changes = 1 + random.below(8); changes > 0; changes--) input = changeOnce(input, other, random);
  return input;
}

function changeOnce(input: Buffer, other: Uint8Array, random: Random): Buffer {
  const at = random.below(input.length + 1);
  const end = Math.min(input.length, at + random.below(random.next() < 0.2 ? input.length + 1 : 16));
  const [before, between, after] = [input.subarray(0, at), input.subarray(at, end), input.subarray(end)];
  switch (random.below(7)) {
    case 0:
      return Buffer.concat([
        before,
        Buffer.from([random.next() < 0.5 ? random.pick(bytes) : random.below(256)]),
        input.subarray(Math.min(at + 1, input.length)),
      ]);
    case 1:
      return Buffer.concat([before, random.pick(tokens), input.subarray(at)]);
    case 2:
      return Buffer.concat([before, random.pick(tokens), after]);
    case 3:
      return Buffer.concat([before, after]);
    case 4:
      return Buffer.concat([before, between, between, after]);
    case 5: {
      const from = random.below(other.length + 1);
      return Buffer.concat([before, other.subarray(from, from + random.below(64)), after]);
    }
    default: {
      const flipped = Buffer.from(input);
      if (at < flipped.length) flipped[at]! ^= 1 << random.below(8);
      return flipped;
    }
  }
}
