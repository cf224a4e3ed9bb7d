import assert from 'node:assert/strict';
import { testFacts } from './audit-testing.ts';
import { AuditedRequest, type RequestFacts, type RequestProgress } from './audited-request.ts';
import type { AuditEvent, AuditLevel } from './event.ts';

interface Recorded {
  readonly request: AuditedRequest;
  readonly events: AuditEvent[];
  readonly progress: { -readonly [K in keyof RequestProgress]: RequestProgress[K] };
}

function recorded({
  facts = {},
  level = 'Metadata',
  blocking = false,
}: { facts?: Partial<RequestFacts>; level?: AuditLevel; blocking?: boolean } = {}): Recorded {
  const events: AuditEvent[] = [];
  const progress = { user: { name: 'jo', groups: ['g'] }, impersonator: undefined, annotations: undefined };
  const emit = (event: AuditEvent): undefined => void events.push(event);
  const request = new AuditedRequest(
    testFacts(facts),
    { level, omitStages: new Set(), omitManagedFields: false },
    progress,
    { emit, blocking, now: () => 1000 },
  );
  return { request, events, progress };
}

/** Stages, each with its response code. */
const stages = (events: readonly AuditEvent[]): unknown[] =>
  events.map(({ stage, responseStatus }) => (responseStatus === undefined ? stage : [stage, responseStatus.code]));

describe('AuditedRequest', () => {
  it('reports the beginning and the end', () => {
    const { request, events } = recorded();
    void request.received();
    void request.answering(200);
    assert.deepEqual(stages(events), ['RequestReceived'], 'no request waits for the last event');
    void request.finished(200);
    void request.finished(200);
    assert.deepEqual(stages(events), ['RequestReceived', ['ResponseComplete', 200]]);
    assert.deepEqual(
      events.map(({ stageMs }) => stageMs),
      [testFacts().receivedMs, 1000],
    );
  });

  it('reports the end before the answer where the answer waits for it', () => {
    const { request, events } = recorded({ blocking: true });
    void request.answering(201);
    assert.deepEqual(stages(events), [['ResponseComplete', 201]]);
    void request.finished(201);
    assert.equal(events.length, 1);
  });

  it('reports the answer of a long-running request when it begins', () => {
    const { request, events } = recorded({ facts: { longRunning: true } });
    void request.answering(101);
    void request.finished(101);
    assert.deepEqual(stages(events), [
      ['ResponseStarted', 101],
      ['ResponseComplete', 101],
    ]);
  });

  it('reports a client that left before there was an answer', () => {
    const early = { status: 'Success', message: 'Connection closed early', code: 200 };
    for (const longRunning of [false, true]) {
      const { request, events } = recorded({ facts: { longRunning } });
      void request.finished(0);
      assert.deepEqual(
        events.map(({ stage, responseStatus }) => [stage, responseStatus]),
        [...(longRunning ? [['ResponseStarted', early]] : []), ['ResponseComplete', early]],
      );
    }
  });

  it('reports an unauthenticated request once, when it is refused', () => {
    const { request, events } = recorded({ facts: { unauthenticated: true } });
    void request.answering(401);
    void request.finished(401);
    assert.deepEqual(stages(events), [['ResponseStarted', 401]]);
  });

  it('keeps to the first answer', () => {
    const { request, events } = recorded();
    request.responseDocument({ kind: 'Status', message: 'too late', reason: 'Timeout', code: 504 } as { kind: string });
    void request.answering(504);
    request.responseDocument({ kind: 'Status', message: 'done' } as { kind: string });
    void request.answering(200);
    void request.finished(200);
    assert.deepEqual(events[0]!.responseStatus, {
      status: undefined,
      message: 'too late',
      reason: 'Timeout',
      details: undefined,
      code: 504,
    });
  });

  describe('of a request in which the server fails', () => {
    const panicked = { status: 'Failure', reason: 'InternalError', message: "APIServer panic'd: TypeError", code: 500 };
    const fail = (request: AuditedRequest): void => {
      request.panic(new TypeError('a secret'));
      request.responseDocument({ kind: 'Status', message: 'an error' } as { kind: string });
      void request.answering(500);
      void request.finished(500);
    };

    for (const blocking of [false, true]) {
      it(`ends in a Panic without internal details${blocking ? ', before the answer where that waits' : ''}`, () => {
        const { request, events } = recorded({ blocking, level: 'RequestResponse' });
        fail(request);
        assert.deepEqual(
          events.map(({ stage, responseStatus, responseObject }) => [stage, responseStatus, responseObject]),
          [['Panic', panicked, undefined]],
        );
      });
    }

    it('has no beginning of an answer', () => {
      const { request, events } = recorded({ facts: { longRunning: true } });
      fail(request);
      assert.deepEqual(stages(events), [['Panic', 500]]);
    });

    it('ends in a Panic also when part of the answer is sent', () => {
      const { request, events } = recorded({ facts: { longRunning: true } });
      void request.answering(200);
      fail(request);
      assert.deepEqual(stages(events), [
        ['ResponseStarted', 200],
        ['Panic', 500],
      ]);
    });
  });

  it('shares the subject between the events until it changes', () => {
    const { request, events, progress } = recorded();
    void request.received();
    void request.answering(201);
    void request.finished(201);
    assert.equal(events[0]!.subject, events[1]!.subject);
    const other = recorded();
    void other.request.received();
    other.progress.impersonator = other.progress.user;
    other.progress.user = { name: 'al', groups: [] };
    other.request.requestObject({ metadata: { name: 'made', namespace: 'b', uid: 'u' } });
    void other.request.finished(201);
    const [before, after] = other.events.map(({ subject: { user, impersonatedUser, objectRef } }) => [
      user.name,
      impersonatedUser?.name,
      objectRef!.name,
      objectRef!.uid,
    ]);
    assert.deepEqual(
      [before, after],
      [
        ['jo', undefined, 'p', ''],
        ['jo', 'al', 'p', 'u'],
      ],
    );
    assert.equal(progress.user.name, 'jo');
  });

  it('holds request and response objects where the level has them', () => {
    for (const [level, sent, answered] of [
      ['Metadata', false, false],
      ['Request', true, false],
      ['RequestResponse', true, true],
    ] as const) {
      const { request, events } = recorded({ level });
      request.requestObject({ metadata: { name: 'a' } });
      request.responseJson(Buffer.from('{"a":1}\n'));
      void request.answering(200);
      request.responseJson(Buffer.from('{"late":1}\n'));
      void request.finished(200);
      assert.deepEqual(
        [events[0]!.requestObject, events[0]!.responseObject],
        [sent ? '{"metadata":{"name":"a"}}' : undefined, answered ? '{"a":1}' : undefined],
      );
    }
  });

  it('leaves out objects that are too large, and says so', () => {
    const { request, events } = recorded({ level: 'RequestResponse' });
    request.requestDocument('x'.repeat(4 * 1024 * 1024));
    request.responseTooLarge();
    void request.finished(200);
    assert.deepEqual(
      [events[0]!.requestObject, events[0]!.responseObject, [...events[0]!.annotations!]],
      [undefined, undefined, [['audit.k8s.io/truncated', 'true']]],
    );
  });

  it('cuts the name of a program that is too long', () => {
    const { request, events } = recorded({ facts: { userAgent: 'u'.repeat(2000) } });
    void request.finished(200);
    assert.equal(events[0]!.subject.userAgent, `${'u'.repeat(1024)}...TRUNCATED`);
  });
});
