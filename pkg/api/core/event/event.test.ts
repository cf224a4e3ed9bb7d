import assert from 'node:assert/strict';
import { cells, create, serve, update } from '../../kind-testing.ts';
import { event } from './event.ts';

const TARGET = { kind: 'Pod', name: 'p', namespace: 'default' };
const GROUP = 'events.k8s.io/v1';

function core(rest: object = {}): object {
  return { metadata: { name: 'e' }, involvedObject: TARGET, reason: 'Tested', message: ' m ', type: 'Normal', ...rest };
}

function modern(rest: object = {}): object {
  return {
    metadata: { name: 'e' },
    eventTime: '2026-01-02T03:04:05.000006Z',
    reportingController: 'example.com/c',
    reportingInstance: 'c-1',
    action: 'Act',
    reason: 'Tested',
    type: 'Normal',
    regarding: TARGET,
    ...rest,
  };
}

describe('events', () => {
  it('is one object under both groups', () => {
    const created = create(
      event,
      GROUP,
      modern({
        note: 'n',
        series: { count: 2, lastObservedTime: '2026-01-02T03:04:06.000000Z' },
        related: { kind: 'Node' },
      }),
    );
    assert.deepEqual(created.texts, []);
    const asCore = created.as('v1');
    assert.deepEqual(asCore.involvedObject, TARGET);
    assert.deepEqual(
      [asCore.message, asCore.reportingComponent, asCore.reportingInstance, asCore.series.count],
      ['n', 'example.com/c', 'c-1', 2],
    );
    const { deprecatedSource, deprecatedFirstTimestamp, note } = created.as(GROUP);
    assert.deepEqual(
      { deprecatedSource, deprecatedFirstTimestamp, note },
      { deprecatedSource: {}, deprecatedFirstTimestamp: null, note: 'n' },
    );
  });

  it('goes through every version without loss', () => {
    const all = core({
      firstTimestamp: '2026-01-02T03:04:05Z',
      lastTimestamp: '2026-01-02T03:05:05Z',
      count: 3,
      source: { component: 'kubelet', host: 'node' },
      action: 'a',
      eventTime: '2026-01-02T03:04:05.000006Z',
      series: { count: 4, lastObservedTime: '2026-01-02T03:04:06.100000Z' },
      related: { kind: 'Node', name: 'n' },
      reportingComponent: 'c',
      reportingInstance: 'i',
    });
    const { object } = create(event, 'v1', all);
    const original = serve(event, 'v1', object);
    for (const groupVersion of [GROUP, 'events.k8s.io/v1beta1']) {
      const served = serve(event, groupVersion, object);
      delete served.metadata.uid;
      delete served.metadata.creationTimestamp;
      const back = create(event, groupVersion, served);
      assert.deepEqual({ ...serve(event, 'v1', back.object), metadata: original.metadata }, original, groupVersion);
    }
  });

  it('lets old clients name events as they like', () => {
    assert.deepEqual(create(event, 'v1', core({ metadata: { name: 'Not_A_Name!' } })).texts, []);
    assert.match(
      create(event, GROUP, modern({ metadata: { name: 'Not_A_Name!' } })).texts[0]!,
      /^metadata\.name: Invalid value: "Not_A_Name!": a lowercase RFC 1123 subdomain/,
    );
  });

  it('reports a missing name once', () => {
    assert.deepEqual(create(event, GROUP, modern({ metadata: {} })).texts, [
      'metadata.name: Required value: name or generateName is required',
    ]);
  });

  it('is strict in the newest version only', () => {
    const bad = {
      metadata: { name: 'e' },
      deprecatedCount: 1,
      deprecatedSource: { host: 'h' },
      deprecatedFirstTimestamp: '2026-01-02T03:04:05Z',
    };
    assert.deepEqual(create(event, 'events.k8s.io/v1beta1', bad).texts, []);
    assert.deepEqual(create(event, GROUP, bad, { namespace: 'n' }).texts, [
      'involvedObject.namespace: Invalid value: "": does not match event.namespace',
      'eventTime: Required value',
      'type: Invalid value: "": has invalid value: ',
      'firstTimestamp: Invalid value: "": needs to be unset',
      'count: Invalid value: "": needs to be unset',
      'source: Invalid value: "": needs to be unset',
    ]);
    assert.deepEqual(create(event, GROUP, modern({ series: { count: 1 } })).texts, [
      'series.count: Invalid value: "": should be at least 2',
      'series.lastObservedTime: Required value',
    ]);
  });

  it('requires a full report with eventTime, in every version', () => {
    const { texts } = create(
      event,
      'v1',
      core({ eventTime: '2026-01-02T03:04:05.000000Z', message: 'x'.repeat(1025), reportingInstance: 'x'.repeat(129) }),
    );
    assert.deepEqual(
      texts.map((t) => t.replace(/name part must consist.*/, '...')),
      [
        'reportingComponent: Required value',
        'reportingComponent: Invalid value: "": name part must be non-empty',
        'reportingComponent: Invalid value: "": ...',
        'reportingInstance: Invalid value: "": can have at most 128 characters',
        'action: Required value',
        'message: Invalid value: "": can have at most 1024 characters',
      ],
    );
  });

  it('lets the series change and nothing else', () => {
    const { object } = create(event, GROUP, modern());
    object.metadata.resourceVersion = '1';
    const series = { count: 2, lastObservedTime: '2026-01-02T03:04:06.000000Z' };
    assert.deepEqual(update(event, GROUP, object, (o) => void (o.series = series)).texts, []);
    const change = (o: Record<string, unknown>): void => {
      o.eventTime = '2026-01-02T03:04:05.100000Z';
      o.regarding = { ...TARGET, name: 'q' };
      o.related = { kind: 'Node' };
      o.note = 'n';
    };
    const reference = '"ResourceVersion":"","FieldPath":""}: field is immutable';
    assert.deepEqual(update(event, GROUP, object, change).texts, [
      `involvedObject: Invalid value: {"Kind":"Pod","Namespace":"default","Name":"q","UID":"","APIVersion":"",${reference}`,
      'message: Invalid value: "n": field is immutable',
      'eventTime: Invalid value: "2026-01-02T03:04:05.100000Z": field is immutable',
      `related: Invalid value: {"Kind":"Node","Namespace":"","Name":"","UID":"","APIVersion":"",${reference}`,
    ]);
    const reason = 'reason: Invalid value: "R": field is immutable';
    assert.deepEqual(update(event, GROUP, object, (o) => void (o.reason = 'R')).texts, [reason, reason]);
    assert.deepEqual(update(event, 'events.k8s.io/v1beta1', object, change).texts, []);
    const label = (o: { metadata: object }): void => void Object.assign(o.metadata, { labels: { 'bad key!': '' } });
    assert.equal(update(event, GROUP, object, label).texts.length, 3);
    assert.equal(update(event, 'v1', object, label).texts.length, 2);
  });

  it('prints rows and selects by fields', () => {
    const { object } = create(event, 'v1', core());
    assert.deepEqual(cells(event, object), [
      '<unknown>',
      'Normal',
      'Tested',
      'pod/p',
      '',
      '',
      'm',
      '<unknown>',
      1,
      'e',
    ]);
    const newer = create(
      event,
      GROUP,
      modern({ series: { count: 5, lastObservedTime: '2026-01-02T03:04:06.000000Z' } }),
    ).object;
    assert.deepEqual(cells(event, newer, '2026-01-02T03:05:05Z'), [
      '59s',
      'Normal',
      'Tested',
      'pod/p',
      '',
      'example.com/c, c-1',
      '',
      '60s',
      5,
      'e',
    ]);
    const labels = event.fieldLabels!;
    assert.deepEqual(
      [
        labels['involvedObject.name']!(object),
        labels['regarding.uid']!(object),
        labels.source!(newer),
        labels.reportingController!(newer),
      ],
      ['p', '', 'example.com/c', 'example.com/c'],
    );
  });
});
