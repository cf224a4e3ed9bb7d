import { createHistogram } from 'node:perf_hooks';
import type { Measurement } from '../figures.ts';
import { cpuMicrosBetween, cpuOfThreads, type CpuOfThreads } from '../process-usage.ts';

/** One measured window: what was done in it, how long each operation took, and the CPU that server and client spent. */
export class Meter {
  private readonly serverPid: number | undefined;
  /** Microseconds. */
  private readonly latencies = createHistogram({ figures: 3 });
  private operations = 0;
  private bytes = 0;
  private startedAt = 0;
  private serverCpu: CpuOfThreads = new Map();
  private clientCpu = 0;

  constructor(serverPid: number | undefined) {
    this.serverPid = serverPid;
  }

  start(): void {
    this.latencies.reset();
    this.operations = 0;
    this.bytes = 0;
    this.clientCpu = ownCpuMicros();
    this.serverCpu = this.serverCpuNow();
    this.startedAt = performance.now();
  }

  get count(): number {
    return this.operations;
  }

  record(latencyMs: number, bytes: number): void {
    this.operations++;
    this.bytes += bytes;
    this.latencies.record(Math.max(1, Math.round(latencyMs * 1000)));
  }

  stop(): Measurement {
    return {
      operations: this.operations,
      seconds: (performance.now() - this.startedAt) / 1000,
      p50Ms: this.latencies.percentile(50) / 1000,
      p99Ms: this.latencies.percentile(99) / 1000,
      bytes: this.bytes,
      serverCpuMicros: this.serverPid === undefined ? undefined : cpuMicrosBetween(this.serverCpu, this.serverCpuNow()),
      clientCpuMicros: ownCpuMicros() - this.clientCpu,
    };
  }

  private serverCpuNow(): CpuOfThreads {
    return this.serverPid === undefined ? new Map() : cpuOfThreads(this.serverPid);
  }
}

function ownCpuMicros(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}
