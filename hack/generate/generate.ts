import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { emitCodecs } from './emit-codecs.ts';
import { emitSchemas } from './emit-schemas.ts';
import { emitTypes } from './emit-types.ts';
import { loadProto } from './load-proto.ts';
import { writeIfChanged } from './write-if-changed.ts';

/**
 * Writes the generated modules for the types declared below `protoDir` into `outDir`. Files whose content did not
 * change keep their time; those that an earlier run wrote and this one did not are removed.
 */
export function generate(protoDir: string, outDir: string): void {
  const model = loadProto(protoDir);
  const files = new Map([...emitTypes(model), ...emitCodecs(model), ...emitSchemas(model)]);
  for (const sub of ['types', 'codecs']) mkdirSync(path.join(outDir, sub), { recursive: true });
  for (const [name, content] of files) writeIfChanged(path.join(outDir, name), content);
  for (const stale of staleFiles(outDir, files)) rmSync(stale, { force: true });
}

function staleFiles(outDir: string, files: ReadonlyMap<string, string>): string[] {
  const manifest = path.join(outDir, 'manifest.json');
  let before: string[] = [];
  try {
    before = JSON.parse(readFileSync(manifest, 'utf8')) as string[];
  } catch {
    // First run.
  }
  writeFileSync(manifest, `${JSON.stringify([...files.keys()])}\n`);
  return before.filter((f) => !files.has(f)).map((f) => path.join(outDir, f));
}
