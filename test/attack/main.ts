import { parseArgs } from 'node:util';
import { table } from '../bench/text-table.ts';
import { startBinnacle } from '../fixtures/binnacle-process.ts';
import type { AttackTarget } from './attack.ts';
import { attacks } from './attacks.ts';
import { measureAttack, type AttackFigures } from './measure-attack.ts';
import { makeUsers } from './users.ts';

/**
 * `make attack`: runs the attacks of docs/security.md against a fresh server, and against another where one is named.
 * They write into a namespace of their own.
 */

const usage = 'usage: make attack ARGS="[--against URL --token TOKEN [--pid PID]] [--only TEXT]"';

const {
  values: { against, token, pid, only = '' },
} = parseArgs({
  options: {
    against: { type: 'string' },
    token: { type: 'string' },
    pid: { type: 'string' },
    only: { type: 'string' },
  },
});
if ((against === undefined) !== (token === undefined)) {
  process.stderr.write(`${usage}\n`);
  process.exit(2);
}

async function figuresOf(admin: AttackTarget, processId: number | undefined): Promise<AttackFigures[]> {
  const users = await makeUsers(admin);
  const figures: AttackFigures[] = [];
  for (const attack of attacks.filter(({ name }) => name.includes(only))) {
    process.stderr.write(`${new URL(admin.url).host}: ${attack.name}\n`);
    figures.push(await measureAttack(attack, users, 'full', processId));
  }
  return figures;
}

function lineOf(
  server: string,
  { name, answers, before, peak, after, cpuSeconds, seconds, p99Ms, slowestMs, refused }: AttackFigures,
): string[] {
  const megabytes = (bytes: number): string => (Number.isNaN(bytes) ? '-' : String(Math.round(bytes / 1e6)));
  return [
    name,
    server,
    answers,
    megabytes(before),
    megabytes(peak),
    megabytes(after),
    cpuSeconds.toFixed(1),
    seconds.toFixed(1),
    p99Ms.toFixed(0),
    slowestMs.toFixed(0),
    String(refused),
  ];
}

const server = await startBinnacle();
const lines = [
  [
    'attack',
    'server',
    'answers',
    'MB before',
    'peak',
    'after',
    'CPU s',
    'took s',
    "others' p99 ms",
    'slowest',
    'refused',
  ],
];
try {
  for (const figures of await figuresOf(server, server.pid)) lines.push(lineOf('binnacle', figures));
} finally {
  await server.stop();
}
if (against !== undefined && token !== undefined) {
  for (const figures of await figuresOf({ url: against, token }, pid === undefined ? undefined : Number(pid)))
    lines.push(lineOf(new URL(against).host, figures));
}
process.stdout.write(`${table(lines).join('\n')}\n`);
