import assert from 'node:assert/strict';
import { testEvent } from '../audit-testing.ts';
import type { AuditEvent, EventSubject } from '../event.ts';
import type { EventFormat } from './event-format.ts';
import { serializeBatch, type TruncationLimits } from './serialize-batch.ts';

const v1: EventFormat = { kind: 'lines', version: 'audit.k8s.io/v1' };

function texts(
  events: readonly AuditEvent[],
  format: EventFormat,
  truncate?: TruncationLimits,
  partBytesMax = Number.POSITIVE_INFINITY,
): { texts: string[]; counts: number[]; dropped: number } {
  const { parts, dropped } = serializeBatch({
    events,
    format,
    partBytesMax,
    ...(truncate === undefined ? {} : { truncate }),
  });
  return {
    texts: parts.map(({ bytes }) => Buffer.from(bytes).toString()),
    counts: parts.map((part) => part.events),
    dropped,
  };
}

const fullSubject: Partial<EventSubject> = {
  level: 'RequestResponse',
  verb: 'update',
  user: { name: 'jo', uid: 'u1', groups: ['g'], extra: { scopes: ['a', 'b'] } },
  impersonatedUser: { name: 'al', groups: [] },
  sourceIps: ['10.0.0.1', '::1'],
  objectRef: {
    resource: 'pods',
    namespace: 'a',
    name: 'p',
    uid: 'o1',
    apiGroup: 'apps',
    apiVersion: 'v1',
    resourceVersion: '7',
    subresource: 'status',
  },
};
const fullFields: Partial<Omit<AuditEvent, 'subject'>> = {
  responseStatus: {
    status: 'Failure',
    message: 'no',
    reason: 'Conflict',
    details: { name: 'p', kind: 'pods' },
    code: 409,
  },
  requestObject: '{"metadata":{"managedFields":[{"manager":"m"}],"name":"p"},"big":1234567890123456789}',
  responseObject: '{"items":[{"metadata":{"managedFields":[]}}]}',
  annotations: new Map([
    ['z', '1'],
    ['__proto__', 'x'],
    ['a', 'a\nb'],
  ]),
};

describe('serializeBatch', () => {
  it('writes an event of v1 on one line, fields in the order of stock servers', () => {
    assert.deepEqual(texts([testEvent(fullSubject, fullFields)], v1).texts, [
      '{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"RequestResponse","auditID":"id-1","stage":"ResponseComplete","requestURI":"/api/v1/namespaces/a/pods/p","verb":"update",' +
        '"user":{"username":"jo","uid":"u1","groups":["g"],"extra":{"scopes":["a","b"]}},"impersonatedUser":{"username":"al"},"sourceIPs":["10.0.0.1","::1"],"userAgent":"test/1",' +
        '"objectRef":{"resource":"pods","namespace":"a","name":"p","uid":"o1","apiGroup":"apps","apiVersion":"v1","resourceVersion":"7","subresource":"status"},' +
        '"responseStatus":{"metadata":{},"status":"Failure","message":"no","reason":"Conflict","details":{"name":"p","kind":"pods"},"code":409},' +
        '"requestObject":{"metadata":{"managedFields":[{"manager":"m"}],"name":"p"},"big":1234567890123456789},"responseObject":{"items":[{"metadata":{"managedFields":[]}}]},' +
        '"requestReceivedTimestamp":"2024-01-02T03:04:05.678250Z","stageTimestamp":"2024-01-02T03:04:06.000000Z","annotations":{"__proto__":"x","a":"a\\nb","z":"1"}}\n',
    ]);
  });

  it('writes texts of any characters', () => {
    for (const odd of ['a"b', 'a\\b', 'a\n\u0000', '\u007f\u2028', 'ä☃', '\ud800', ' ~![]']) {
      const event = testEvent(
        { userAgent: odd, user: { name: odd, groups: [odd] } },
        { annotations: new Map([[odd, odd]]) },
      );
      const { userAgent, user, annotations } = JSON.parse(texts([event], v1).texts[0]!) as Record<string, unknown>;
      assert.deepEqual(
        { userAgent, user, annotations },
        { userAgent: odd, user: { username: odd, groups: [odd] }, annotations: { [odd]: odd } },
      );
    }
  });

  it('adds times in seconds in v1beta1', () => {
    const event = JSON.parse(
      texts([testEvent()], { kind: 'lines', version: 'audit.k8s.io/v1beta1' }).texts[0]!,
    ) as Record<string, unknown>;
    assert.deepEqual(
      [event['apiVersion'], event['metadata'], event['timestamp']],
      ['audit.k8s.io/v1beta1', { creationTimestamp: '2024-01-02T03:04:06Z' }, '2024-01-02T03:04:05Z'],
    );
  });

  it('removes managedFields where the policy says so', () => {
    const [text] = texts([testEvent({ ...fullSubject, omitManagedFields: true }, fullFields)], v1).texts;
    const event = JSON.parse(text!) as Record<string, any>;
    assert.deepEqual(
      [event['requestObject'].metadata, event['responseObject']],
      [{ name: 'p' }, { items: [{ metadata: {} }] }],
    );
    assert.match(text!, /"big":1234567890123456789/);
  });

  it('writes lists, whose items have no kind', () => {
    const [text] = texts([testEvent(), testEvent({ auditId: 'id-2' })], {
      kind: 'list',
      version: 'audit.k8s.io/v1',
    }).texts;
    const { items, ...rest } = JSON.parse(text!) as { items: Record<string, unknown>[] };
    assert.deepEqual(rest, { kind: 'EventList', apiVersion: 'audit.k8s.io/v1', metadata: {} });
    assert.deepEqual(
      items.map((item) => [item['kind'], item['apiVersion'], item['auditID']]),
      [
        [undefined, undefined, 'id-1'],
        [undefined, undefined, 'id-2'],
      ],
    );
  });

  it('writes lines of text that no value can break', () => {
    const event = testEvent({ userAgent: 'x\n2024 AUDIT: "', user: { name: 'jo', groups: ['g', 'h'] } });
    assert.deepEqual(texts([event], { kind: 'legacy' }).texts, [
      '2024-01-02T03:04:05.67825Z AUDIT: id="id-1" stage="ResponseComplete" ip="10.0.0.1" method="get" user="jo" groups="\\"g\\",\\"h\\"" as="<self>" asgroups="<lookup>" ' +
        'user-agent="x\\n2024 AUDIT: \\"" namespace="a" uri="/api/v1/namespaces/a/pods/p" response="200"\n',
    ]);
    assert.deepEqual(texts([event], { kind: 'request-lines' }).texts, [
      '2024-01-02T03:04:05.67825Z AUDIT: id="id-1" ip="10.0.0.1" method="get" user="jo" groups="\\"g\\",\\"h\\"" as="<self>" asgroups="<lookup>" namespace="a" uri="/api/v1/namespaces/a/pods/p"\n' +
        '2024-01-02T03:04:06Z AUDIT: id="id-1" response="200"\n',
    ]);
  });

  it('leaves objects out of events that are too large, and then drops the events', () => {
    const big = testEvent({}, { requestObject: JSON.stringify('x'.repeat(5000)) });
    const { texts: written, dropped } = texts(
      [testEvent(), big, testEvent({ requestUri: `/${'u'.repeat(5000)}`, auditId: 'gone' })],
      v1,
      { eventBytesMax: 2000, batchBytesMax: 100_000 },
    );
    const events = written
      .join('')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    assert.equal(dropped, 1);
    assert.deepEqual(
      events.map((event) => [event['requestObject'], event['annotations']]),
      [
        [undefined, undefined],
        [undefined, { 'audit.k8s.io/truncated': 'true' }],
      ],
    );
  });

  it('divides batches that are too large, never an event', () => {
    const events = Array.from({ length: 10 }, (_, i) => testEvent({ auditId: `id-${i}` }));
    const size = Buffer.byteLength(texts([events[0]!], v1).texts[0]!);
    assert.deepEqual(texts(events, v1, { eventBytesMax: 10_000, batchBytesMax: size * 4 }).counts, [4, 4, 2]);
    assert.deepEqual(
      texts(events, v1, undefined, size - 1).counts,
      events.map(() => 1),
    );
  });
});
