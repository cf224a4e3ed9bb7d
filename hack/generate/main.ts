import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { emitCodecs } from './emit-codecs.ts';
import { emitSchemas } from './emit-schemas.ts';
import { emitTypes } from './emit-types.ts';
import { loadProto } from './load-proto.ts';

/** Writes `pkg/generated/` from `proto/`; files whose content did not change keep their time. */
function main(): void {
  const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
  const out = path.join(root, 'pkg/generated');
  const model = loadProto(path.join(root, 'proto'));
  const files = new Map([...emitTypes(model), ...emitCodecs(model), ...emitSchemas(model)]);
  for (const sub of ['types', 'codecs']) mkdirSync(path.join(out, sub), { recursive: true });
  for (const [name, content] of files) writeIfChanged(path.join(out, name), content);
  for (const stale of staleFiles(out, files)) rmSync(stale);
}

function writeIfChanged(file: string, content: string): void {
  try {
    if (readFileSync(file, 'utf8') === content) return;
  } catch {
    // Not there yet.
  }
  writeFileSync(file, content);
}

function staleFiles(out: string, files: ReadonlyMap<string, string>): string[] {
  const manifest = path.join(out, 'manifest.json');
  let before: string[] = [];
  try {
    before = JSON.parse(readFileSync(manifest, 'utf8')) as string[];
  } catch {
    // First run.
  }
  writeFileSync(manifest, `${JSON.stringify([...files.keys()])}\n`);
  return before.filter((f) => !files.has(f)).map((f) => path.join(out, f));
}

main();
