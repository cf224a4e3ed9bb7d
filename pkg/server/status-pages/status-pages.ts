import { stringifyEscaped } from '../../apimachinery/json/go-json.ts';
import { genericServerResponse } from '../../apimachinery/errors/status-error.ts';
import type { OperatorPages, ServedPaths } from '../system/operator-pages.ts';
import type { RequestContext } from '../request/request-context.ts';
import { respondBytes, respondText } from '../answers/respond.ts';
import { apiRelease, versionDocument } from '../system/version.ts';
import { negotiatePage, pageObject } from './negotiate-page.ts';

const STATUS = '/statusz';
const FLAGS = '/flagz';

/** How clients of stock servers know this component. */
const COMPONENT = 'kube-apiserver';
const NO_CONTRACT =
  'Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility guarantees and is for debugging purposes only.';

export interface StatusPagesOptions {
  readonly startMs: number;
  readonly nowMs: () => number;
  readonly emulatedMinor: number;
  /** Options by name with their values, secrets taken out. */
  readonly flags: ReadonlyMap<string, string>;
}

/** `/statusz` and `/flagz`: what runs here since when, and with which options. */
export class StatusPages implements OperatorPages {
  readonly listed = [FLAGS, STATUS];
  readonly #options: StatusPagesOptions;

  constructor(options: StatusPagesOptions) {
    this.#options = options;
  }

  answer(context: RequestContext, site: ServedPaths): Promise<void> | undefined {
    const { path } = context.info;
    if (path !== STATUS && path !== FLAGS) return undefined;
    return this.#page(context, path, site);
  }

  async #page(context: RequestContext, path: typeof STATUS | typeof FLAGS, site: ServedPaths): Promise<void> {
    if (context.method !== 'GET' && context.method !== 'HEAD') throw genericServerResponse(405);
    const kind = path === STATUS ? 'Statusz' : 'Flagz';
    const form = negotiatePage(context.headers.accept, kind);
    if (form === 'text') return respondText(context, 200, path === STATUS ? this.#statusText(site) : this.#flagsText());
    const object = {
      ...pageObject(kind, form, COMPONENT),
      ...(path === STATUS ? this.#status(site) : { flags: Object.fromEntries(this.#options.flags) }),
    };
    respondBytes(context, 200, 'application/json', Buffer.from(`${stringifyEscaped(object)}\n`));
  }

  #status(site: ServedPaths): Record<string, unknown> {
    const { startMs, nowMs } = this.#options;
    const { goVersion, emulationMajor, emulationMinor } = versionDocument(this.#options.emulatedMinor);
    return {
      startTime: `${new Date(startMs).toISOString().slice(0, 19)}Z`,
      uptimeSeconds: Math.floor((nowMs() - startMs) / 1000),
      goVersion,
      binaryVersion: `${apiRelease.major}.${apiRelease.minor}.${apiRelease.patch}`,
      emulationVersion: `${emulationMajor}.${emulationMinor}`,
      paths: firstSegments(site.paths),
    };
  }

  #statusText(site: ServedPaths): string {
    const { uptimeSeconds, goVersion, binaryVersion, emulationVersion, paths } = this.#status(site) as Record<
      string,
      string
    > & { uptimeSeconds: number; paths: string[] };
    return [
      '',
      `${COMPONENT} statusz`,
      NO_CONTRACT,
      '',
      `Started: ${unixDate(this.#options.startMs)}`,
      `Up: ${uptime(uptimeSeconds)}`,
      `Go version: ${goVersion}`,
      `Binary version: ${binaryVersion}`,
      `Emulation version: ${emulationVersion}`,
      `Paths: ${paths.join(' ')}`,
      '',
    ].join('\n');
  }

  #flagsText(): string {
    const lines = [...this.#options.flags].map(([name, value]) => `${name}=${value}`).sort();
    return ['', `${COMPONENT} flags`, NO_CONTRACT, '', ...lines, ''].join('\n');
  }
}

function firstSegments(paths: readonly string[]): string[] {
  return [...new Set(paths.map((path) => `/${path.split('/')[1] ?? ''}`))].sort();
}

/** `Wed Oct 16 21:03:43 UTC 2024`. */
function unixDate(ms: number): string {
  const [day = '', date = '', month = '', year = '', time = ''] = new Date(ms)
    .toUTCString()
    .replace(',', '')
    .split(' ');
  return `${day} ${month} ${date.replace(/^0/, ' ')} ${time} UTC ${year}`;
}

function uptime(seconds: number): string {
  const two = (count: number): string => String(count % 60).padStart(2, '0');
  return `${Math.floor(seconds / 3600)} hr ${two(Math.floor(seconds / 60))} min ${two(seconds)} sec`;
}
