import type { Container, Pod } from '../generated/types/core-v1.ts';

/** Annotations of a pod that say what its containers do; with `.NAME` at the end they mean one container. */
const RUN_SECONDS = 'simulation.binnacle.io/run-seconds';
const EXIT_CODE = 'simulation.binnacle.io/exit-code';
export const NEVER_READY = 'simulation.binnacle.io/never-ready';

/** How long a container of a Job runs that does not say what it does. */
const JOB_SECONDS = 1;

/** Of a pod: for so long a container goes on when it is asked to stop. */
const STOP_SECONDS = 'simulation.binnacle.io/stop-seconds';

/** What a container does from its start to its end. */
export interface ContainerPlan {
  /** Milliseconds; Infinity: until it is stopped. */
  readonly runMs: number;
  readonly exitCode: number;
  /** What it writes, line by line, with the milliseconds since its start. */
  readonly output: readonly { readonly atMs: number; readonly line: string }[];
}

/**
 * What a container is going to do: as annotations of its pod say, else as its command does where it is made of `sleep`,
 * `echo`, `exit`, `true` and `false`, in a shell or not; else it runs until it is stopped, or, of a Job, for a moment.
 */
export function containerPlan({ metadata, spec }: Pod, container: Container, isInit: boolean): ContainerPlan {
  const annotation = (name: string): string | undefined =>
    metadata.annotations?.[`${name}.${container.name}`] ?? (isInit ? undefined : metadata.annotations?.[name]);
  const byCommand = commandPlan([...(container.command ?? []), ...(container.args ?? [])]);
  const endsByItself = isInit || spec.restartPolicy === 'Never' || spec.restartPolicy === 'OnFailure';
  const plan = byCommand ?? { runMs: endsByItself ? JOB_SECONDS * 1000 : Infinity, exitCode: 0, output: [] };
  const [seconds, code] = [Number(annotation(RUN_SECONDS)), Number(annotation(EXIT_CODE))];
  const hasCode = annotation(EXIT_CODE) !== undefined && Number.isInteger(code);
  const hasSeconds = annotation(RUN_SECONDS) !== undefined && seconds >= 0;
  return {
    ...plan,
    runMs: hasSeconds ? seconds * 1000 : hasCode && plan.runMs === Infinity ? 0 : plan.runMs,
    exitCode: hasCode ? code : plan.exitCode,
  };
}

/**
 * Milliseconds from the deletion of a pod until a container ends by itself: as annotations say, after what its hook
 * sleeps.
 */
export function stopTime({ metadata }: Pod, { name, lifecycle }: Container): number {
  const text = metadata.annotations?.[`${STOP_SECONDS}.${name}`] ?? metadata.annotations?.[STOP_SECONDS];
  const seconds = Number(text ?? 0);
  const { sleep, exec } = lifecycle?.preStop ?? {};
  const hookMs = Number(sleep?.seconds ?? 0) * 1000 + (commandPlan(exec?.command ?? [])?.runMs ?? 0);
  return hookMs + (seconds > 0 ? seconds * 1000 : 0);
}

/** What a command does; undefined where this does not understand it. */
export function commandPlan(words: readonly string[]): ContainerPlan | undefined {
  if (words.length === 0) return undefined;
  const [program = '', flag = '', script] = words;
  const isShell = /(^|\/)(ba|da|a|z)?sh$/.test(program) && /^-[a-z]*c$/.test(flag) && script !== undefined;
  const commands = isShell
    ? script.split(/&&|;|\n/).map((command) => command.trim().split(/\s+/))
    : [words.map((word) => word.trim())];
  const output: { atMs: number; line: string }[] = [];
  let [atMs, exitCode] = [0, 0];
  for (const [name = '', ...rest] of commands) {
    switch (name.replace(/^.*\//, '')) {
      case '':
        break;
      case 'true':
      case ':':
        exitCode = 0;
        break;
      case 'false':
        exitCode = 1;
        break;
      case 'echo':
        output.push({ atMs, line: rest.join(' ').replaceAll(/["']/g, '') });
        exitCode = 0;
        break;
      case 'exit':
        return { runMs: atMs, exitCode: rest.length === 0 ? exitCode : Number(rest[0]) & 0xff, output };
      case 'sleep': {
        const sleepMs = sleepTime(rest[0]);
        if (sleepMs === undefined) return undefined;
        atMs += sleepMs;
        exitCode = 0;
        break;
      }
      default:
        return undefined;
    }
  }
  return { runMs: atMs, exitCode, output };
}

function sleepTime(text = ''): number | undefined {
  if (text === 'infinity' || text === 'inf') return Infinity;
  const [, amount, unit = 's'] = /^(\d+(?:\.\d+)?)([smhd]?)$/.exec(text) ?? [];
  if (amount === undefined) return undefined;
  const seconds = { s: 1, m: 60, h: 3600, d: 86_400 }[unit === '' ? 's' : unit] ?? 1;
  return Number(amount) * seconds * 1000;
}
