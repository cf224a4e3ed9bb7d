import { genericServerResponse } from '../../apimachinery/errors/status-error.ts';
import type { OperatorPages } from '../system/operator-pages.ts';
import type { RequestContext } from '../request/request-context.ts';
import { respondBytes, respondText } from '../answers/respond.ts';
import { CpuProfiler } from './cpu-profiler.ts';
import { EventLoopDelays } from './event-loop-delays.ts';
import { heapSampler } from './heap-sampler.ts';
import type { RecordedProfile } from './recorded-profile.ts';

export interface ProfilingSettings {
  /** `--contention-profiling`: delays of the event loop as well. */
  readonly contention: boolean;
  /** Writes a profile in the form of pprof; on a thread, so that it is not in the next profile. */
  readonly encode: (recorded: RecordedProfile) => Promise<Uint8Array>;
}

const ROOT = '/debug/pprof';
const SECONDS_DEFAULT = 30;
const SECONDS_MAX = 600;
/** Profiles that tools know from other servers and that do not exist here. */
const withoutMeaning = new Set(['allocs', 'goroutine', 'mutex', 'threadcreate', 'trace']);

/** `/debug/pprof/`: the time and memory of the main thread, for `go tool pprof` and others that read its format. */
export class ProfilingPages implements OperatorPages {
  readonly listed = [];
  private readonly settings: ProfilingSettings;
  private readonly cpu = new CpuProfiler();
  private readonly delays: EventLoopDelays | undefined;
  private readonly stopping = new AbortController();
  private started = false;

  constructor(settings: ProfilingSettings) {
    this.settings = settings;
    this.delays = settings.contention ? new EventLoopDelays() : undefined;
  }

  async start(): Promise<void> {
    this.started = true;
    this.delays?.start();
    await heapSampler.start();
  }

  /** A running recording ends, and is answered with what it has. */
  stop(): void {
    if (!this.started) return;
    this.started = false;
    this.stopping.abort();
    this.delays?.stop();
    heapSampler.stop();
  }

  answer(context: RequestContext): Promise<void> | undefined {
    const { path } = context.info;
    return path === ROOT || path.startsWith(`${ROOT}/`) ? this.page(context, path.slice(ROOT.length + 1)) : undefined;
  }

  private async page(context: RequestContext, name: string): Promise<void> {
    if (context.method !== 'GET' && !(context.method === 'POST' && name === 'symbol')) throw genericServerResponse(405);
    if (context.info.path === ROOT)
      return respondBytes(context, 301, 'text/html; charset=utf-8', new Uint8Array(), { location: `${ROOT}/` });
    switch (name) {
      case '':
        return respondBytes(
          context,
          200,
          'text/html; charset=utf-8',
          Buffer.from(profilesPage(this.delays !== undefined)),
          { 'x-content-type-options': 'nosniff' },
        );
      case 'cmdline':
        return respondText(context, 200, process.argv.join('\0'));
      // Profiles carry the names of their functions: there is no address to look up.
      case 'symbol':
        return respondText(context, 200, 'num_symbols: 0\n');
      case 'profile':
        return this.cpuProfile(context);
      case 'heap':
        return this.send(context, name, { kind: 'heap', profile: await heapSampler.profile(), takenMs: Date.now() });
      case 'block':
        return this.delayProfile(context);
      default:
        return respondText(
          context,
          404,
          withoutMeaning.has(name) ? `There is no such profile of this server: ${name}\n` : 'Unknown profile\n',
        );
    }
  }

  private async cpuProfile(context: RequestContext): Promise<void> {
    const seconds = context.query.get('seconds') || String(SECONDS_DEFAULT);
    if (!/^\d{1,3}$/.test(seconds) || Number(seconds) < 1 || Number(seconds) > SECONDS_MAX)
      return respondText(context, 400, `seconds must be a whole number from 1 to ${SECONDS_MAX}\n`);
    const takenMs = Date.now();
    const profile = await this.cpu.record(
      Number(seconds) * 1000,
      AbortSignal.any([this.stopping.signal, goneSignal(context)]),
    );
    if (profile === undefined)
      return respondText(context, 500, 'Could not enable CPU profiling: cpu profiling already in use\n');
    if (!context.closed) await this.send(context, 'profile', { kind: 'cpu', profile, takenMs });
  }

  private async delayProfile(context: RequestContext): Promise<void> {
    if (this.delays === undefined)
      return respondText(context, 404, 'Delays of the event loop are recorded with --contention-profiling\n');
    await this.send(context, 'block', { kind: 'delays', buckets: this.delays.buckets(), takenMs: Date.now() });
  }

  private async send(context: RequestContext, name: string, recorded: RecordedProfile): Promise<void> {
    const body = await this.settings.encode(recorded);
    respondBytes(context, 200, 'application/octet-stream', body, {
      'content-disposition': `attachment; filename="${name}"`,
      'x-content-type-options': 'nosniff',
    });
  }
}

/** Aborted when the client leaves. */
function goneSignal(context: RequestContext): AbortSignal {
  const gone = new AbortController();
  if (context.closed) gone.abort();
  context.response.once('close', () => gone.abort());
  return gone.signal;
}

const profiles = [
  ['profile', 'What the main thread spends its time on, for <code>?seconds=N</code> (1 to 600, 30 by itself)'],
  ['heap', 'Where what is on the heap was allocated: a sample of one in 512 KiB. Collects garbage first'],
] as const;
const delays = ['block', 'How late turns of the event loop were, since the start'] as const;
const others = [
  ['cmdline', 'The command line of the server'],
  ['symbol', 'Nothing: profiles name their functions'],
] as const;

/** The page of `/debug/pprof/`. */
function profilesPage(withDelays: boolean): string {
  const rows = [...profiles, ...(withDelays ? [delays] : []), ...others].map(
    ([name, text]) => `<tr><td><a href="${name}">${name}</a></td><td>${text}</td></tr>`,
  );
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>/debug/pprof/</title></head>
<body>
<h1>Profiles</h1>
<p>In the format of pprof: <code>go tool pprof</code> reads them.</p>
<table>
${rows.join('\n')}
</table>
</body>
</html>
`;
}
