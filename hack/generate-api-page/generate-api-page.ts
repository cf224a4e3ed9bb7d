import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import type { PageFileName } from '../../pkg/server/api-page/page-files.ts';

const browserDir = path.resolve(import.meta.dirname, '../../pkg/server/api-page/browser');
const swaggerUiDir = path.dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));

/** The text of `pkg/generated/api-page.json`: the page's files by name, compressed with gzip, in base64. */
export async function generateApiPage(): Promise<string> {
  const own = (name: string): Uint8Array => readFileSync(path.join(browserDir, name));
  const swaggerUi = (name: string): Uint8Array => readFileSync(path.join(swaggerUiDir, name));
  const files = {
    'index.html': own('index.html'),
    'page.css': own('page.css'),
    'page.js': await bundleScript('page.ts'),
    'swagger-ui.css': withoutSourceMap(swaggerUi('swagger-ui.css')),
    'swagger-ui-bundle.js': withoutSourceMap(swaggerUi('swagger-ui-bundle.js')),
    'swagger-ui.LICENSE.txt': Buffer.concat([swaggerUi('NOTICE'), Buffer.from('\n\n'), swaggerUi('LICENSE')]),
    'swagger-ui-bundle.js.LICENSE.txt': swaggerUi('swagger-ui-bundle.js.LICENSE.txt'),
  } satisfies Record<PageFileName, Uint8Array>;
  const packed = Object.entries(files).map(([name, bytes]) => [name, gzipSync(bytes, { level: 9 }).toString('base64')]);
  return `${JSON.stringify(Object.fromEntries(packed))}\n`;
}

async function bundleScript(entry: string): Promise<Uint8Array> {
  const { outputFiles } = await build({
    entryPoints: [path.join(browserDir, entry)],
    bundle: true,
    minify: true,
    format: 'iife',
    target: 'es2022',
    write: false,
  });
  return outputFiles[0]!.contents;
}

/** The line that names a file which is not served. */
function withoutSourceMap(bytes: Uint8Array): Uint8Array {
  return Buffer.from(
    Buffer.from(bytes)
      .toString()
      .replace(/\n(\/\/|\/\*)# sourceMappingURL=.*\s*$/, '\n'),
  );
}
