import { cpus, totalmem } from 'node:os';

/** Where figures were measured. */
export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryBytes: number;
  readonly node: string;
}

export function machine(): Machine {
  return { cpu: cpus()[0]?.model ?? 'unknown', cores: cpus().length, memoryBytes: totalmem(), node: process.version };
}
