/**
 * `make bench`: measures the server on the workload of docs/performance.md. Exit status 2: wrong options; 1: a row
 * failed.
 */
import { writeFileSync } from 'node:fs';
import { parseBenchOptions, usage, type BenchOptions } from './bench-options.ts';
import { accessControlReport } from './access-control-report.ts';
import { report } from './report.ts';
import { runBench, type BenchResults, type Cleanup } from './run-bench.ts';
import { runAccessControl } from './run-access-control.ts';

const cleanup: Cleanup = [];

async function cleanUp(): Promise<void> {
  for (let undo = cleanup.pop(); undo !== undefined; undo = cleanup.pop()) {
    try {
      await undo();
    } catch (error) {
      process.stderr.write(`bench: ${(error as Error).message}\n`);
    }
  }
}

for (const [signal, status] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const) {
  process.once(signal, () => void cleanUp().finally(() => process.exit(status)));
}

function options(): BenchOptions | undefined {
  try {
    return parseBenchOptions(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`bench: ${(error as Error).message}\n\n${usage}`);
    process.exit(2);
  }
}

/** What a run found, for people and for programs. */
interface Outcome {
  readonly text: string;
  readonly results: object;
  readonly failed: boolean;
}

async function measure(chosen: BenchOptions): Promise<Outcome> {
  const progress = (line: string): void => void process.stderr.write(`${line}\n`);
  if (chosen.accessControl || chosen.before !== undefined) {
    const results = await runAccessControl(chosen, cleanup, progress);
    return {
      text: accessControlReport(results),
      results,
      failed: results.stores.some(({ rows }) => Object.values(rows).some((row) => 'error' in row)),
    };
  }
  const results = await runBench(chosen, cleanup, progress);
  return { text: report(results), results, failed: hasFailed(results) };
}

function hasFailed(results: BenchResults): boolean {
  return [results.floor, ...results.systems.map((system) => system.figures)].some((figures) =>
    Object.values(figures).some((row) => row.kind === 'failed'),
  );
}

async function main(): Promise<number> {
  const chosen = options();
  if (chosen === undefined) {
    process.stdout.write(usage);
    return 0;
  }
  try {
    const { text, results, failed } = await measure(chosen);
    process.stdout.write(text);
    if (chosen.json !== undefined) writeFileSync(chosen.json, `${JSON.stringify(results, undefined, 2)}\n`);
    return failed ? 1 : 0;
  } catch (error) {
    process.stderr.write(`bench: ${(error as Error).message}\n`);
    return 1;
  } finally {
    await cleanUp();
  }
}

process.exitCode = await main();
