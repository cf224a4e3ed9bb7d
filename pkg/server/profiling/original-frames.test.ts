import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { Runtime } from 'node:inspector';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { transformSync } from 'esbuild';
import { OriginalFrames } from './original-frames.ts';

describe('OriginalFrames', () => {
  const dir = mkdtempSync(path.join(tmpdir(), 'binnacle-frames-'));
  after(() => rmSync(dir, { recursive: true, force: true }));

  const source = `
export function declaredFunction(argument) { return [argument].map((element) => element + 1); }
const assignedFunction = (argument) => argument * 2;
export class Thing { method(argument) { return assignedFunction(argument); } }
`;

  /** Source and its map, as the build makes them. */
  function built(name: string): { url: string; code: string } {
    const { code, map } = transformSync(source, {
      minify: true,
      sourcemap: 'external',
      sourcefile: `../src/${name}.ts`,
      format: 'esm',
    });
    const file = path.join(dir, `${name}.js`);
    writeFileSync(file, code);
    writeFileSync(`${file}.map`, map);
    return { url: pathToFileURL(file).href, code };
  }

  /** The frame of the function whose parameters begin at the match of `pattern`. */
  function frameAt(
    { url, code }: { url: string; code: string },
    functionName: string,
    pattern: RegExp,
  ): Runtime.CallFrame {
    const found = pattern.exec(code);
    assert.ok(found, code);
    return { functionName, url, scriptId: '1', lineNumber: 0, columnNumber: found.index + found[0].length };
  }

  it('maps functions to the names and places of their source', () => {
    const script = built('names');
    const frames = new OriginalFrames();
    const file = path.resolve(dir, '../src/names.ts');
    const declared = /function (\w+)(?=\()/.exec(script.code)![1]!;
    const { name, file: shown, line } = frames.of(frameAt(script, declared, /function \w+(?=\()/));
    assert.deepEqual([declared.length < 3, name, shown, line], [true, 'declaredFunction', file, 2]);
    const assigned = /const (\w+)=/.exec(script.code)![1]!;
    assert.equal(frames.of(frameAt(script, assigned, /const \w+=/)).name, 'assignedFunction');
    assert.deepEqual(
      [frames.of(frameAt(script, 'method', /method/)).name, frames.of(frameAt(script, 'method', /method/)).line],
      ['method', 4],
    );
  });

  it('names functions without a name after their place', () => {
    assert.equal(new OriginalFrames().of(frameAt(built('places'), '', /\.map\(/)).name, '(anonymous) places.ts:2');
  });

  it('leaves everything else as it is', () => {
    const frames = new OriginalFrames();
    writeFileSync(path.join(dir, 'broken.js.map'), 'no map');
    const frame = (functionName: string, url: string): Runtime.CallFrame => ({
      functionName,
      url,
      scriptId: '1',
      lineNumber: 6,
      columnNumber: 1,
    });
    for (const [url, file] of [
      ['node:fs', 'node:fs'],
      ['file:///nowhere/else.js', '/nowhere/else.js'],
      [pathToFileURL(path.join(dir, 'broken.js')).href, path.join(dir, 'broken.js')],
      ['', ''],
    ] as const) {
      assert.deepEqual(frames.of(frame('read', url)), { name: 'read', file, line: 7, column: 2 });
    }
    assert.equal(frames.of(frame('', '')).name, '(anonymous)');
  });
});
