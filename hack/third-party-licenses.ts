import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Of a file in node_modules: the folder of the innermost package. */
const PACKAGE = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//;
const LICENSE = /^(?:licen[cs]e|copying|notice)/i;

/**
 * The licenses of the packages that these files of a bundle come from: who passes the bundle on passes them on as well.
 * Throws for a package that names none.
 */
export function thirdPartyLicenses(root: string, inputs: readonly string[]): string {
  const folders = new Set(inputs.flatMap((input) => PACKAGE.exec(input)?.[1] ?? []));
  const texts = new Map<string, string>();
  for (const folder of folders) {
    const dir = path.join(root, folder);
    const { name, version, license } = JSON.parse(readFileSync(path.join(dir, 'package.json'), 'utf8')) as {
      name: string;
      version: string;
      license?: string;
    };
    const files = readdirSync(dir).filter((file) => LICENSE.test(file));
    const own = files.map((file) => readFileSync(path.join(dir, file), 'utf8').trim());
    if (license === undefined && own.length === 0) throw new Error(`${name} names no license`);
    texts.set(`${name} ${version}`, [`${name} ${version}, ${license ?? 'see below'}`, ...own].join('\n\n'));
  }
  const sorted = [...texts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text);
  return `This program contains parts of these packages.\n\n${sorted.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}
