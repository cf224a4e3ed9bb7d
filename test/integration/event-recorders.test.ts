import assert from 'node:assert/strict';
import { CoreEventRecorder } from '../../pkg/client/events/core-event-recorder.ts';
import { SeriesEventRecorder } from '../../pkg/client/events/series-event-recorder.ts';
import { objectClient } from '../fixtures/object-client.ts';
import { configMap, onEachStore } from './on-each-store.ts';

/** A whole server takes what recorders write, in both groups. */
onEachStore('event recorders', [], (suite) => {
  const subject = async (): Promise<any> => {
    const namespace = await suite.namespace();
    const { json } = await suite.client.post(`/api/v1/namespaces/${namespace}/configmaps`, configMap('one'));
    return { ...json, apiVersion: 'v1', kind: 'ConfigMap' };
  };
  const lost = (error: unknown): void => assert.fail(String(error));

  it('write core events: counted, combined', async () => {
    const object = await subject();
    const client = objectClient(suite.client);
    const recorder = new CoreEventRecorder({ client, source: { component: 'sample-controller' }, onError: lost });
    for (const note of ['a', 'a', ...Array.from({ length: 11 }, (_, i) => `m${i}`)]) {
      recorder.event(object, { type: 'Normal', reason: 'Sampled', note });
    }
    await recorder.flush();
    await recorder.stop();
    const { json } = await suite.client.get(`/api/v1/namespaces/${object.metadata.namespace}/events`);
    const events = json.items as any[];
    const texts = events.map(({ message, count }) => `${message} ×${count}`).toSorted();
    assert.deepEqual(texts, [
      '(combined from similar events): m10 ×3',
      'a ×2',
      ...Array.from({ length: 8 }, (_, i) => `m${i} ×1`),
    ]);
    for (const event of events) {
      assert.deepEqual([event.involvedObject.uid, event.source.component], [object.metadata.uid, 'sample-controller']);
    }
  });

  it('write events of events.k8s.io: a series in one object', async () => {
    const object = await subject();
    const client = objectClient(suite.client);
    const recorder = new SeriesEventRecorder({ client, source: { component: 'sample-scheduler' }, onError: lost });
    for (let i = 0; i < 3; i++) {
      recorder.event(object, { type: 'Warning', reason: 'Sampled', action: 'Sampling', note: `note ${i}` });
    }
    await recorder.flush();
    await recorder.stop();
    const path = `/apis/events.k8s.io/v1/namespaces/${object.metadata.namespace}/events`;
    const { json } = await suite.client.get(path);
    const [event, ...others] = json.items as any[];
    assert.deepEqual(others, []);
    assert.deepEqual(
      [event.note, event.series.count, event.reportingController, event.regarding.uid],
      ['note 0', 2, 'sample-scheduler', object.metadata.uid],
    );
  });
});
