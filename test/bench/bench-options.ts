import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { isRowName, rows, type RowName } from './rows.ts';

const root = path.resolve(import.meta.dirname, '../..');

export const usage = `Usage: make bench ARGS="[options]"

Measures the workload of docs/performance.md on both stores, with a bare Fastify server beside it.

  --store NAME       embedded or etcd; default: both, one after the other
  --against URL      measure this server instead; its pods are made in four namespaces binnacle-bench-* and deleted again
  --token TOKEN      bearer token for it
  --ca FILE          authority of its certificate; without one it is not verified
  --pid PID          its process, for CPU and memory, when it runs on this machine
  --pods N           pods that are listed and changed; default 3000
  --seconds S        measured time of each row; default 5
  --access-control       instead compare servers without authorization, audit and admission plugins, and with them: CPU per operation of the
                     timed rows
  --before FILE      instead compare that program (left) with this one (right), both with all that guards a cluster, side by side
  --starts N         how often these are started; default 3
  --rows NAME,...    only these: ${rows
    .map((row) => row.name)
    .join(', ')
    .replaceAll(/(.{60,90}?), /g, '$1,\n                     ')}
  --quick            sizes at which every row runs but no figure means anything
  --program FILE     the server's program; default dist/binnacle.js
  --json FILE        write all figures there
`;

export type StoreName = 'embedded' | 'etcd';

export interface BenchOptions {
  readonly stores: readonly StoreName[];
  readonly against:
    | {
        readonly url: string;
        readonly token: string;
        readonly ca: string | undefined;
        readonly pid: number | undefined;
      }
    | undefined;
  readonly pods: number | undefined;
  readonly seconds: number | undefined;
  readonly starts: number | undefined;
  readonly rows: ReadonlySet<RowName>;
  readonly quick: boolean;
  readonly accessControl: boolean;
  /** An earlier program to compare with. */
  readonly before: string | undefined;
  readonly program: string;
  readonly json: string | undefined;
}

/** Throws an Error that names the wrong option; undefined when help is asked for. */
export function parseBenchOptions(args: readonly string[]): BenchOptions | undefined {
  const string = { type: 'string' } as const;
  const { values } = parseArgs({
    args: [...args],
    options: {
      store: string,
      against: string,
      token: string,
      ca: string,
      pid: string,
      pods: string,
      seconds: string,
      starts: string,
      rows: string,
      program: string,
      json: string,
      before: string,
      quick: { type: 'boolean' },
      'access-control': { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help === true) return undefined;
  const { store, against } = values;
  if (store !== undefined && store !== 'embedded' && store !== 'etcd')
    throw new Error('--store takes embedded or etcd');
  if (against === undefined && (values.token ?? values.ca ?? values.pid) !== undefined)
    throw new Error('--token, --ca and --pid go with --against');
  if (against !== undefined && (!URL.canParse(against) || new URL(against).protocol !== 'https:'))
    throw new Error('--against takes an https:// URL');
  if (against !== undefined && values['access-control'] === true)
    throw new Error('--access-control starts servers of its own: it does not go with --against');
  if (values.before !== undefined && (against !== undefined || values['access-control'] === true))
    throw new Error('--before starts servers of its own: it goes with neither --against nor --access-control');
  return {
    stores: store === undefined ? ['embedded', 'etcd'] : [store],
    against:
      against === undefined
        ? undefined
        : {
            url: against,
            token: values.token ?? '',
            ca: values.ca === undefined ? undefined : readFileSync(values.ca, 'utf8'),
            pid: values.pid === undefined ? undefined : numberOf('pid', values.pid, 1, 2 ** 22),
          },
    pods: values.pods === undefined ? undefined : numberOf('pods', values.pods, 50, 100_000),
    starts: values.starts === undefined ? undefined : numberOf('starts', values.starts, 1, 100),
    seconds: values.seconds === undefined ? undefined : numberOf('seconds', values.seconds, 0.1, 600),
    rows: new Set(values.rows === undefined ? rows.map((row) => row.name) : values.rows.split(',').map(rowName)),
    quick: values.quick ?? false,
    accessControl: values['access-control'] ?? false,
    before: values.before === undefined ? undefined : path.resolve(values.before),
    program: path.resolve(values.program ?? path.join(root, 'dist/binnacle.js')),
    json: values.json,
  };
}

function numberOf(name: string, text: string, min: number, max: number): number {
  const value = Number(text);
  if (!(value >= min && value <= max)) throw new Error(`--${name} takes a number from ${min} to ${max}`);
  return name === 'seconds' ? value : Math.floor(value);
}

function rowName(name: string): RowName {
  if (!isRowName(name))
    throw new Error(`--rows: unknown row ${JSON.stringify(name)}; there are ${rows.map((row) => row.name).join(', ')}`);
  return name;
}
