import assert from 'node:assert/strict';
import { notFound, StatusError } from '../../apimachinery/errors/status-error.ts';
import { CountingObserver } from '../../audit/audit-testing.ts';
import { Auditor } from '../../audit/auditor.ts';
import type { AuditEvent, AuditLevel } from '../../audit/event.ts';
import { PolicyIndex } from '../../audit/policy/policy-index.ts';
import { readPolicy } from '../../audit/policy/read-policy.ts';
import { person } from '../../authorization/authorization-testing.ts';
import type { Handler } from '../request/request-context.ts';
import { respondText } from '../answers/respond.ts';
import { auditRequests, unauthorizedHandler } from './audit.ts';
import { requestOf, sent, type RecordedAnswer } from './filter-testing.ts';

const POD = '/api/v1/namespaces/ns/pods/p';

interface Passed {
  readonly events: readonly AuditEvent[];
  readonly answer: RecordedAnswer;
  readonly errors: readonly unknown[];
  readonly observer: CountingObserver;
}

interface Settings {
  readonly level?: AuditLevel;
  readonly url?: string;
  readonly headers?: Record<string, string>;
  /** The backend's result for each event; undefined when absent. */
  readonly stored?: (event: AuditEvent) => Promise<boolean>;
}

/** Passes a request of alice through the filter. */
async function pass(
  handler: Handler,
  { level = 'Metadata', url = POD, headers = {}, stored }: Settings = {},
): Promise<Passed> {
  const [events, errors]: [AuditEvent[], unknown[]] = [[], []];
  const observer = new CountingObserver();
  const policy = new PolicyIndex(readPolicy(`{apiVersion: audit.k8s.io/v1, kind: Policy, rules: [{level: ${level}}]}`));
  const backend = {
    process: (event: AuditEvent) => {
      events.push(event);
      return stored?.(event);
    },
    close: async () => undefined,
  };
  const auditor = new Auditor({ policy, backends: [backend], blocking: stored !== undefined, observer });
  const { context, answer } = requestOf('GET', url, headers, person('alice'));
  await auditRequests(auditor, (error) => errors.push(error))(handler)(context);
  await sent();
  return { events, answer, errors, observer };
}

const answers: Handler = async (context) => respondText(context, 200, 'ok');
const stages = (events: readonly AuditEvent[]): unknown[] =>
  events.map(({ stage, responseStatus }) => [stage, responseStatus?.code]);

describe('auditRequests', () => {
  it('records user, object and response', async () => {
    const { events, observer } = await pass(answers, {
      headers: { 'user-agent': 'me', 'x-forwarded-for': '10.0.0.1, nothing' },
    });
    assert.deepEqual(stages(events), [
      ['RequestReceived', undefined],
      ['ResponseComplete', 200],
    ]);
    const { requestUri, verb, user, sourceIps, userAgent, objectRef } = events[0]!.subject;
    assert.deepEqual(
      [requestUri, verb, user.name, sourceIps, userAgent],
      [POD, 'get', 'alice', ['10.0.0.1', '127.0.0.1'], 'me'],
    );
    assert.deepEqual(objectRef, {
      resource: 'pods',
      namespace: 'ns',
      name: 'p',
      uid: '',
      apiGroup: '',
      apiVersion: 'v1',
      resourceVersion: '',
      subresource: '',
    });
    assert.deepEqual([observer.levels, observer.events], [['Metadata'], 2]);
  });

  it('reads headers as UTF-8, where they are', async () => {
    const bytes = (text: string): string => Buffer.from(text).toString('latin1');
    const { events } = await pass(answers, {
      url: `${POD}?x=${bytes('ü')}`,
      headers: { 'user-agent': bytes('Prüfer ✓') },
    });
    assert.deepEqual([events[0]!.subject.requestUri, events[0]!.subject.userAgent], [`${POD}?x=ü`, 'Prüfer ✓']);
    const {
      events: [odd],
    } = await pass(answers, { headers: { 'user-agent': '\xff' } });
    assert.equal(odd!.subject.userAgent, '\xff');
  });

  it('records nothing where the policy says so', async () => {
    const { events, answer, observer } = await pass(answers, { level: 'None' });
    assert.deepEqual([events, answer.body, observer.levels, observer.events], [[], 'ok', ['None'], 0]);
  });

  it('records the answers to errors', async () => {
    const { events, errors } = await pass(async () => {
      throw notFound({ group: '', resource: 'pods' }, 'p');
    });
    assert.deepEqual(stages(events), [
      ['RequestReceived', undefined],
      ['ResponseComplete', 404],
    ]);
    assert.deepEqual([events[1]!.responseStatus!.reason, errors], ['NotFound', []]);
  });

  it('ends with a Panic when the server fails', async () => {
    const { events, answer, errors } = await pass(async () => {
      throw new RangeError('out of range');
    });
    assert.deepEqual(stages(events), [
      ['RequestReceived', undefined],
      ['Panic', 500],
    ]);
    assert.deepEqual(events[1]!.responseStatus, {
      status: 'Failure',
      reason: 'InternalError',
      message: "APIServer panic'd: RangeError",
      code: 500,
    });
    assert.equal(answer.status, 500);
    assert.deepEqual(
      errors.map((error) => (error as Error).message),
      ['out of range'],
    );
  });

  it('holds the answer until its event is stored', async () => {
    let store: (() => void) | undefined;
    const waits = ({ stage }: AuditEvent): Promise<boolean> =>
      stage === 'RequestReceived'
        ? Promise.resolve(true)
        : new Promise((resolve) => {
            store = () => resolve(true);
          });
    const { context, answer } = requestOf('GET', POD, {}, person('alice'));
    const auditor = new Auditor({
      policy: new PolicyIndex(readPolicy('{apiVersion: audit.k8s.io/v1, kind: Policy, rules: [{level: Metadata}]}')),
      blocking: true,
      observer: new CountingObserver(),
      backends: [{ process: waits, close: async () => undefined }],
    });
    const passed = auditRequests(auditor, () => undefined)(answers)(context);
    while (store === undefined) await new Promise((resolve) => void setImmediate(resolve));
    assert.equal(answer.status, 0);
    store();
    await passed;
    await sent();
    assert.deepEqual([answer.status, answer.body], [200, 'ok']);
  });

  it('refuses a request whose event must be stored and is not', async () => {
    let reached = false;
    const { answer, observer } = await pass(
      async () => {
        reached = true;
      },
      { stored: async () => false },
    );
    assert.deepEqual([reached, answer.status, observer.rejected], [false, 500, 1]);
  });

  it('ignores requests where nothing is ever recorded', () => {
    assert.equal(auditRequests(undefined, () => undefined)(answers), answers);
  });
});

describe('unauthorizedHandler', () => {
  it('refuses with 401', async () => {
    const { context } = requestOf('GET', POD);
    await assert.rejects(
      unauthorizedHandler(undefined, undefined)(context),
      (error) => error instanceof StatusError && error.status.code === 401,
    );
    assert.equal(context.audit, undefined);
  });
});
