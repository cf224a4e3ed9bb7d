import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { cpuMicrosBetween, cpuOfThreads, memoryBytes, resetPeak } from '../bench/process-usage.ts';
import { ApiClient } from '../fixtures/api-client.ts';
import type { Attack, AttackSize, AttackTarget } from './attack.ts';
import type { OthersFigures } from './others.ts';
import type { AttackUsers } from './users.ts';

export interface AttackFigures extends OthersFigures {
  readonly name: string;
  readonly answers: string;
  /** Resident memory, bytes; NaN where the server does not tell. */
  readonly before: number;
  readonly peak: number;
  readonly after: number;
  /** Of the server, while the attack ran. */
  readonly cpuSeconds: number;
  readonly seconds: number;
}

/** Time for memory to come back. */
const SETTLE_MS = { short: 0, full: 3000 } as const;

/** Runs one attack and measures the server by its process, or by its own figures where `pid` is not known. */
export async function measureAttack(
  attack: Attack,
  { attacker, bystander }: AttackUsers,
  size: AttackSize,
  pid?: number,
): Promise<AttackFigures> {
  await attack.prepare?.(attacker, size);
  const usage = pid === undefined ? await toldUsage(bystander) : processUsage(pid);
  const stop = await watchOthers(bystander);
  const startedAtMs = performance.now();
  const answers = await attack.run(attacker, size).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  const seconds = (performance.now() - startedAtMs) / 1000;
  const others = await stop();
  const { peak, cpuSeconds } = await usage.end();
  await sleep(SETTLE_MS[size]);
  return {
    name: attack.name,
    answers,
    before: usage.before,
    peak,
    after: await usage.resident(),
    cpuSeconds,
    seconds,
    ...others,
  };
}

interface Usage {
  readonly before: number;
  end(): Promise<{ peak: number; cpuSeconds: number }>;
  resident(): Promise<number>;
}

function processUsage(pid: number): Usage {
  resetPeak(pid);
  const before = memoryBytes(pid).resident;
  const cpu = cpuOfThreads(pid);
  return {
    before,
    end: async () => ({ peak: memoryBytes(pid).peak, cpuSeconds: cpuMicrosBetween(cpu, cpuOfThreads(pid)) / 1e6 }),
    resident: async () => memoryBytes(pid).resident,
  };
}

/** By `/metrics`, four times a second: peaks between two looks are missed. */
async function toldUsage({ url, token }: AttackTarget): Promise<Usage> {
  const client = new ApiClient(url, token);
  const read = async (): Promise<{ resident: number; cpuSeconds: number }> => {
    const text = (await client.get('/metrics')).body.toString();
    const value = (name: string): number => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? Number.NaN);
    return { resident: value('process_resident_memory_bytes'), cpuSeconds: value('process_cpu_seconds_total') };
  };
  const first = await read();
  let peak = first.resident;
  let over = false;
  const looking = (async () => {
    while (!over) {
      peak = Math.max(peak, (await read().catch(() => first)).resident);
      await sleep(250);
    }
  })();
  return {
    before: first.resident,
    async end() {
      over = true;
      await looking;
      const last = await read();
      return { peak: Math.max(peak, last.resident), cpuSeconds: last.cpuSeconds - first.cpuSeconds };
    },
    async resident() {
      const { resident } = await read();
      client.close();
      return resident;
    },
  };
}

/** Another user's gets, until it is stopped. */
async function watchOthers(bystander: AttackTarget): Promise<() => Promise<OthersFigures>> {
  const others = fork(fileURLToPath(new URL('others.ts', import.meta.url)), { execArgv: ['--import', 'tsx'] });
  others.send(bystander);
  await once(others, 'message');
  return async () => {
    const answered = once(others, 'message');
    others.send('stop');
    const [figures] = (await answered) as [OthersFigures];
    return figures;
  };
}
