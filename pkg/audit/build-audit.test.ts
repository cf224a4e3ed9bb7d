import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { startHttpsService, type HttpsService, type ServiceAnswer } from '../net/https-service-testing.ts';
import { apiServerOptions } from '../options/api-server-options.ts';
import { parseOptions } from '../options/parse-options.ts';
import { readAuditConfig } from './audit-config.ts';
import { CountingObserver, testAttributes, testFacts } from './audit-testing.ts';
import type { Auditor } from './auditor.ts';
import { buildAudit } from './build-audit.ts';
import { serializeBatch } from './events/serialize-batch.ts';
import { BackupNames } from './log/backup-names.ts';

const policy = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [{ level: 'Request' }],
};
const DAY_MS = 24 * 3600 * 1000;
/** An event with this is serialized elsewhere, where the test sees batches. */
const LARGE = { text: 'x'.repeat(70_000) };

interface Written {
  readonly auditID: string;
  readonly requestObject?: unknown;
  readonly annotations?: Readonly<Record<string, string>>;
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => void setTimeout(resolve, 2));
}

describe('buildAudit', () => {
  let dir: string;
  let log: string;
  let service: HttpsService;
  let auditor: Auditor | undefined;
  let observer: CountingObserver;
  let reports: string[];
  /** Sizes of batches of large events. */
  let batches: number[];
  const accept: ServiceAnswer = (_request, response) => void response.writeHead(200).end();

  before(async () => {
    service = await startHttpsService(accept);
  });
  after(() => service.close());
  beforeEach(() => {
    dir = mkdtempSync(path.join(tmpdir(), 'binnacle-audit-'));
    log = path.join(dir, 'logs', 'audit.log');
    writeFileSync(path.join(dir, 'policy.json'), JSON.stringify(policy));
    writeFileSync(
      path.join(dir, 'webhook.json'),
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Config',
        'current-context': 'c',
        contexts: [{ name: 'c', context: { cluster: 'c' } }],
        clusters: [
          {
            name: 'c',
            cluster: { server: service.url, 'certificate-authority-data': Buffer.from(service.ca).toString('base64') },
          },
        ],
      }),
    );
    service.received.length = 0;
    service.answerWith(accept);
    [observer, reports, batches] = [new CountingObserver(), [], []];
  });
  afterEach(async () => {
    await auditor?.close();
    auditor = undefined;
    rmSync(dir, { recursive: true, force: true });
  });

  const toLog = (): string => `--audit-log-path=${log}`;
  const toWebhook = (): string => `--audit-webhook-config-file=${dir}/webhook.json`;
  function build(...args: string[]): Auditor {
    const options = parseOptions(apiServerOptions, 'up', [`--audit-policy-file=${dir}/policy.json`, ...args]);
    auditor = buildAudit(readAuditConfig(options)!, {
      observer,
      report: (message) => reports.push(message),
      nowMs: Date.now,
      serialize: async (batch) => {
        batches.push(batch.events.length);
        return serializeBatch(batch);
      },
    });
    return auditor;
  }

  /** A request that ends at once; returns its audit promise. */
  function ask(id: string, document: unknown = LARGE, requestUri = '/r'): Promise<boolean> | undefined {
    const request = auditor!.begin(testFacts({ auditId: id, requestUri }), testAttributes(), {
      user: { name: 'jo', groups: [] },
      impersonator: undefined,
      annotations: undefined,
    })!;
    request.requestDocument(document);
    return request.answering(200) ?? request.finished(200);
  }
  const askTimes = (count: number, document?: unknown): void => {
    for (let i = 0; i < count; i++) void ask(`id-${i}`, document);
  };
  const close = async (): Promise<void> => {
    await auditor!.close();
    auditor = undefined;
  };

  const inFile = (file: string): Written[] =>
    readFileSync(file, 'utf8')
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Written);
  const lists = (): Written[][] => service.received.map(({ body }) => (JSON.parse(body) as { items: Written[] }).items);
  const sinks = {
    log: { to: toLog, written: () => inFile(log) },
    webhook: { to: toWebhook, written: () => lists().flat() },
  } as const;

  for (const sink of ['log', 'webhook'] as const) {
    const { written } = sinks[sink];
    const inBatches = (...args: string[]): Auditor => build(sinks[sink].to(), `--audit-${sink}-mode=batch`, ...args);

    describe(`with a ${sink} in batches`, () => {
      it('sends as many events at once as configured', async () => {
        inBatches(`--audit-${sink}-batch-max-size=3`);
        askTimes(7);
        await close();
        assert.deepEqual(batches, [3, 3, 1]);
        assert.equal(written().length, 7);
      });

      it('sends the whole buffer where that is less', async () => {
        inBatches(`--audit-${sink}-batch-buffer-size=2`, `--audit-${sink}-batch-throttle-enable=false`);
        askTimes(4);
        await until(() => written().length === 4);
        assert.deepEqual(batches, [2, 2]);
      });

      it('sends a partial batch after the configured time', async () => {
        inBatches(`--audit-${sink}-batch-max-wait=10ms`);
        askTimes(2);
        await until(() => written().length === 2);
        assert.deepEqual(batches, [2]);
      });

      it('waits for more by default', async () => {
        inBatches();
        askTimes(2);
        await new Promise((resolve) => void setTimeout(resolve, 30));
        assert.deepEqual([batches, written()], [[], []]);
        await close();
        assert.deepEqual([batches, written().length], [[2], 2]);
      });

      it('waits for longer than timers can', async () => {
        inBatches(`--audit-${sink}-batch-max-wait=1000h`);
        askTimes(2);
        await new Promise((resolve) => void setTimeout(resolve, 30));
        assert.deepEqual(batches, []);
      });

      it('needs no room in the buffer where it is blocking', async () => {
        build(sinks[sink].to(), `--audit-${sink}-mode=blocking`, `--audit-${sink}-batch-buffer-size=1`);
        await Promise.all(Array.from({ length: 20 }, (_, i) => ask(`id-${i}`)));
        assert.equal(written().length, 20);
      });

      it('keeps as many as configured, and counts the others', async () => {
        inBatches(
          `--audit-${sink}-batch-buffer-size=4`,
          `--audit-${sink}-batch-max-size=2`,
          `--audit-${sink}-batch-throttle-enable=true`,
          `--audit-${sink}-batch-throttle-qps=0.001`,
          `--audit-${sink}-batch-throttle-burst=1`,
        );
        askTimes(10);
        await until(() => written().length === 2);
        assert.deepEqual([batches, observer.lost], [[2], { buffered: 4 }]);
        assert.match(reports[0]!, /1 audit events are dropped: the buffer is full/);
        await close();
        assert.deepEqual(
          written()
            .map(({ auditID }) => auditID)
            .sort(),
          [0, 1, 2, 3, 4, 5].map((i) => `id-${i}`),
        );
      });

      it('bounds the rate of batches as configured', async () => {
        inBatches(
          `--audit-${sink}-batch-max-size=1`,
          `--audit-${sink}-batch-throttle-enable=true`,
          `--audit-${sink}-batch-throttle-qps=0.001`,
          `--audit-${sink}-batch-throttle-burst=3`,
        );
        askTimes(8);
        await until(() => written().length === 3);
        await new Promise((resolve) => void setTimeout(resolve, 250));
        assert.equal(batches.length, 3, 'a burst, and nothing more for a quarter of an hour');
        await close();
        assert.equal(written().length, 8);
      });

      it('sends batch after batch where their rate is not bounded', async () => {
        inBatches(
          `--audit-${sink}-batch-max-size=1`,
          `--audit-${sink}-batch-throttle-enable=false`,
          `--audit-${sink}-batch-throttle-burst=1`,
          `--audit-${sink}-batch-throttle-qps=0.001`,
        );
        askTimes(8);
        await until(() => written().length === 8);
      });

      it('leaves objects out of events above the configured size, and then drops the events', async () => {
        inBatches(`--audit-${sink}-truncate-enabled`, `--audit-${sink}-truncate-max-event-size=3000`);
        void ask('large');
        void ask('small', { a: 1 });
        void ask('too large', LARGE, `/${'u'.repeat(3000)}`);
        await close();
        assert.deepEqual(
          written().map(({ auditID, requestObject, annotations }) => [
            auditID,
            requestObject,
            annotations?.['audit.k8s.io/truncated'],
          ]),
          [
            ['large', undefined, 'true'],
            ['small', { a: 1 }, undefined],
          ],
        );
        assert.deepEqual(observer.lost, { truncate: 1 });
      });

      it('leaves events whole without a configured size', async () => {
        inBatches(`--audit-${sink}-truncate-max-event-size=3000`, `--audit-${sink}-truncate-max-batch-size=3000`);
        askTimes(2);
        await close();
        assert.deepEqual(
          written().map(({ requestObject }) => requestObject),
          [LARGE, LARGE],
        );
      });

      it('flushes all pending events at a clean stop', async () => {
        inBatches(
          `--audit-${sink}-batch-max-size=100`,
          `--audit-${sink}-batch-throttle-enable=true`,
          `--audit-${sink}-batch-throttle-qps=0.001`,
          `--audit-${sink}-batch-throttle-burst=1`,
        );
        service.answerWith((_request, response) => void setTimeout(() => response.writeHead(200).end(), 5));
        askTimes(5000, { a: 1 });
        await close();
        assert.deepEqual([new Set(written().map(({ auditID }) => auditID)).size, observer.lost], [5000, {}]);
      });
    });
  }

  it('divides batches for the webhook above the configured size', async () => {
    build(toWebhook(), '--audit-webhook-truncate-enabled', '--audit-webhook-truncate-max-batch-size=160000');
    askTimes(5);
    await close();
    assert.deepEqual([batches, lists().map(({ length }) => length)], [[5], [2, 2, 1]]);
  });

  it('divides batches for the log above the configured size: parts that fit fill a file', async () => {
    const countsOf = async (...args: string[]): Promise<number[]> => {
      build(toLog(), '--audit-log-mode=batch', '--audit-log-maxsize=1', '--audit-log-truncate-enabled', ...args);
      askTimes(15);
      await close();
      const files = readdirSync(path.dirname(log))
        .sort()
        .map((name) => path.join(path.dirname(log), name));
      const counts = files.map((file) => inFile(file).length);
      rmSync(path.dirname(log), { recursive: true });
      return counts;
    };
    assert.deepEqual(await countsOf(), [14, 1]);
    assert.deepEqual(await countsOf('--audit-log-truncate-max-batch-size=300000'), [12, 3]);
  });

  it('keeps old logs as long as configured', async () => {
    const names = new BackupNames(log);
    await build(toLog()).close();
    for (const days of [1, 6, 8, 30]) writeFileSync(names.at(Date.now() - days * DAY_MS), 'old\n');
    await build(toLog(), '--audit-log-maxage=0').close();
    assert.equal(readdirSync(path.dirname(log)).length, 5);
    await build(toLog(), '--audit-log-maxage=7').close();
    assert.equal(readdirSync(path.dirname(log)).length, 3);
  });

  it('compresses old logs where configured', async () => {
    const old = new BackupNames(log).at(0);
    await build(toLog()).close();
    writeFileSync(old, 'old\n');
    await build(toLog(), '--audit-log-compress=false').close();
    assert.equal(readFileSync(old, 'utf8'), 'old\n');
    await build(toLog(), '--audit-log-compress').close();
    assert.equal(gunzipSync(readFileSync(`${old}.gz`)).toString(), 'old\n');
  });

  it('writes to standard output', async () => {
    build('--audit-log-path=-');
    const lines: string[] = [];
    const write = process.stdout.write.bind(process.stdout);
    // Only events come as bytes; other output passes.
    process.stdout.write = ((text: Uint8Array | string, ...rest: []) => {
      if (typeof text === 'string') return write(text, ...rest);
      lines.push(Buffer.from(text).toString());
      (rest as unknown as [done: () => void])[0]();
      return true;
    }) as typeof process.stdout.write;
    try {
      assert.equal(await ask('shown', { a: 1 }), true);
    } finally {
      process.stdout.write = write;
    }
    assert.deepEqual(
      lines.map((line) => (JSON.parse(line) as Written).auditID),
      ['shown'],
    );
  });

  it('gives both sinks every event, each in its own mode', async () => {
    build(toLog(), toWebhook(), '--audit-log-version=audit.k8s.io/v1');
    for (const id of ['a', 'b']) assert.equal(await ask(id, { id }), true);
    assert.deepEqual(
      inFile(log).map(({ auditID }) => auditID),
      ['a', 'b'],
    );
    assert.equal(service.received.length, 0, 'the webhook gets batches, and no request waits for them');
    await close();
    assert.deepEqual(
      lists().map((items) => items.map(({ auditID }) => auditID)),
      [['a', 'b']],
    );
    assert.deepEqual(
      inFile(log).map(({ requestObject }) => requestObject),
      lists()[0]!.map(({ requestObject }) => requestObject),
    );
  });

  it('continues with one sink when the other fails', async () => {
    service.answerWith((_request, response) => void response.writeHead(400).end());
    build(toLog(), toWebhook(), '--audit-webhook-mode=blocking', '--audit-webhook-initial-backoff=1ms');
    assert.equal(await ask('a', { a: 1 }), true);
    assert.deepEqual([inFile(log).map(({ auditID }) => auditID), observer.lost], [['a'], { webhook: 1 }]);
  });

  for (const [mode, goesOn] of [
    ['blocking', true],
    ['blocking-strict', false],
  ] as const) {
    it(`${goesOn ? 'allows requests' : 'refuses requests'} while the disk is full, in mode ${mode}; writes again when there is room`, async function () {
      if (process.platform !== 'linux') this.skip();
      await build(toLog()).close();
      rmSync(log);
      symlinkSync('/dev/full', log);
      build(toLog(), `--audit-log-mode=${mode}`);
      assert.equal(await ask('lost', { a: 1 }), goesOn);
      assert.deepEqual(observer.lost, { log: 1 });
      assert.match(reports[0]!, /^audit log: 1 audit events are lost: ENOSPC/);
      rmSync(log);
      assert.equal(await ask('kept', { a: 1 }), true);
      assert.deepEqual(
        inFile(log).map(({ auditID }) => auditID),
        ['kept'],
      );
    });
  }
});
