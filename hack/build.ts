import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { analyzeMetafile, build } from 'esbuild';
import { thirdPartyLicenses } from './third-party-licenses.ts';

/**
 * Bundles the program into `dist/`: one entry for the command, one for the library, one for worker threads; shared code
 * and rarely needed parts (etcd client, OpenAPI) in chunks that are loaded when first used. Native modules and
 * packages that load files of their own stay in node_modules.
 */
const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { version: string };

/** Is in the bundle as data: pkg/generated/api-page.json. */
const API_PAGE = 'node_modules/swagger-ui-dist/package.json';

function commit(): string {
  try {
    return execFileSync('git', ['rev-parse', '--short=12', 'HEAD'], {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    // Not a checkout, or no git: the build has no commit to name.
    return 'unknown';
  }
}

rmSync(path.join(root, 'dist'), { recursive: true, force: true });
const result = await build({
  absWorkingDir: root,
  entryPoints: { binnacle: 'cmd/binnacle/main.ts', index: 'pkg/library/index.ts', worker: 'pkg/workers/worker.ts' },
  outdir: 'dist',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  sourcemap: true,
  // Half the text to parse at every start; the source maps keep stacks readable (node --enable-source-maps).
  minify: true,
  metafile: true,
  legalComments: 'none',
  external: [
    'lmdb',
    'fs-native-extensions',
    'etcd3',
    'piscina',
    '@opentelemetry/sdk-trace-node',
    '@opentelemetry/exporter-trace-otlp-http',
    '@opentelemetry/resources',
  ],
  define: { BINNACLE_VERSION: JSON.stringify(version), BINNACLE_COMMIT: JSON.stringify(commit()) },
  // Bundled CommonJS packages call require for Node's own modules.
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
  logLevel: 'warning',
});
chmodSync(path.join(root, 'dist/binnacle.js'), 0o755);
// The types of the library import nothing, so that the file is its own declaration.
const types = readFileSync(path.join(root, 'pkg/library/public-types.ts'), 'utf8');
for (const file of ['index.d.ts', 'index.d.cts'])
  writeFileSync(
    path.join(root, 'dist', file),
    `${types}\nexport declare const startControlPlane: StartControlPlane;\n`,
  );
copyFileSync(path.join(root, 'pkg/library/index.cjs'), path.join(root, 'dist/index.cjs'));
writeFileSync(
  path.join(root, 'dist/third-party-licenses.txt'),
  thirdPartyLicenses(root, [...Object.keys(result.metafile.inputs), API_PAGE]),
);

if (process.argv.includes('--analyze')) process.stdout.write(await analyzeMetafile(result.metafile));
