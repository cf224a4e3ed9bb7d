import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { documentedPrograms } from '../../fixtures/documented-programs.ts';

/**
 * A project outside of this tree that has installed the packed package and the test runners, as its users have it. It
 * finds no module of ours.
 */
const root = path.resolve(import.meta.dirname, '../../..');
const runners = path.join(root, '.tools/test-runners/node_modules');
const RUN_MS = 120_000;
/** What npm keeps of an installation. */
const HIDDEN_LOCKFILE = '.package-lock.json';

export interface PackedFile {
  readonly path: string;
  readonly size: number;
}

export interface Outcome {
  /** Exit status, or the signal that ended it. */
  readonly ended: number | string;
  readonly output: string;
}

export class FreshProject {
  readonly dir = mkdtempSync(path.join(tmpdir(), 'package-project-'));
  /** For the temporary files of what runs in it. */
  readonly temporary = path.join(this.dir, 'tmp');
  /** What the tarball has. */
  readonly files: readonly PackedFile[];
  readonly tarballBytes: number;

  constructor() {
    mkdirSync(this.temporary);
    const packing = ['pack', '--json', '--ignore-scripts', '--pack-destination', this.dir];
    const packed = execFileSync('npm', packing, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    const { filename, size, files } = readPacked(packed);
    this.tarballBytes = size;
    this.files = files;
    cpSync(path.join(import.meta.dirname, 'project'), this.dir, { recursive: true });
    for (const [name, text] of documentedPrograms()) writeFileSync(path.join(this.dir, name), text);
    if (!existsSync(runners)) throw new Error(`no ${runners}: run make tools`);
    linkTree(runners, path.join(this.dir, 'node_modules'));
    execFileSync(
      'npm',
      ['install', '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund', `./${filename}`],
      {
        cwd: this.dir,
        stdio: ['ignore', 'ignore', 'pipe'],
      },
    );
  }

  /** Runs `node` with arguments to its end, in a process group of its own. */
  run(args: readonly string[], options: { nodeOptions?: string; interruptAt?: string } = {}): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      const child = spawn(process.execPath, args, {
        cwd: this.dir,
        detached: true,
        stdio: ['ignore', 'pipe', 'pipe'],
        timeout: RUN_MS,
        killSignal: 'SIGKILL',
        env: { ...process.env, TMPDIR: this.temporary, NODE_OPTIONS: options.nodeOptions ?? '', CI: 'true' },
      });
      let output = '';
      let { interruptAt } = options;
      const take = (bytes: Buffer): void => {
        output += bytes.toString();
        if (interruptAt === undefined || !output.includes(interruptAt)) return;
        interruptAt = undefined;
        child.kill('SIGINT');
      };
      child.stdout.on('data', take);
      child.stderr.on('data', take);
      child.on('error', reject);
      child.on('close', (status, signal) => {
        const left = processesOfGroup(child.pid!);
        if (left.length === 0) resolve({ ended: status ?? signal ?? '', output });
        else reject(new Error(`processes are left: ${left.join(', ')}\n${output}`));
      });
    });
  }

  /** Temporary directories of clusters. */
  clusterDirs(): readonly string[] {
    return readdirSync(this.temporary).filter((name) => name.startsWith('binnacle-'));
  }

  remove(): void {
    rmSync(this.dir, { recursive: true, force: true });
  }
}

/** Of npm's report: a list in earlier releases, by name in later ones. */
function readPacked(json: string): { filename: string; size: number; files: PackedFile[] } {
  const [packed] = Object.values(JSON.parse(json) as object) as {
    filename: string;
    size: number;
    files: PackedFile[];
  }[];
  return packed!;
}

/** Copies files as further names where the file system is the same; npm writes its own file in place. */
function linkTree(from: string, to: string): void {
  if (spawnSync('cp', ['-al', from, to]).status !== 0) {
    rmSync(to, { recursive: true, force: true });
    execFileSync('cp', ['-a', from, to]);
  }
  rmSync(path.join(to, HIDDEN_LOCKFILE));
  cpSync(path.join(from, HIDDEN_LOCKFILE), path.join(to, HIDDEN_LOCKFILE));
}

function processesOfGroup(group: number): readonly string[] {
  const { stdout } = spawnSync('ps', ['-eo', 'pgid=,stat=,pid=,args='], { encoding: 'utf8' });
  const ofGroup = stdout.split('\n').filter((line) => Number.parseInt(line, 10) === group);
  // What has ended and was not waited for is gone.
  return ofGroup.filter((line) => !/^ *\d+ +Z/.test(line));
}
