import assert from 'node:assert/strict';
import { cells, create, update } from '../../kind-testing.ts';
import { podTemplate } from './pod-template.ts';

const BODY = {
  metadata: { name: 'x' },
  template: {
    metadata: { labels: { app: 'a' } },
    spec: {
      containers: [
        { name: 'c', image: 'i:1' },
        { name: 'd', image: 'j' },
      ],
    },
  },
};

describe('pod templates', () => {
  it('are defaulted like the templates of controllers', () => {
    const { metadata, template } = create(podTemplate, 'v1', BODY).as('v1');
    assert.equal(metadata.generation, 1);
    assert.equal(template.spec.restartPolicy, 'Always');
    assert.equal(template.spec.enableServiceLinks, undefined);
  });

  it('are checked', () => {
    assert.deepEqual(create(podTemplate, 'v1', { metadata: { name: 'x' } }).texts, [
      'template.spec.containers: Required value',
    ]);
  });

  it('can change', () => {
    const { object } = create(podTemplate, 'v1', BODY);
    const changed = update(podTemplate, 'v1', object, (o) => {
      o.template.spec.nodeSelector = { a: 'b' };
    });
    assert.deepEqual([changed.texts, changed.object.metadata.generation], [[], 2]);
    assert.equal(
      update(podTemplate, 'v1', object, (o) => {
        o.metadata.labels = { 'bad key!': 'x' };
      }).texts.length,
      3,
    );
  });

  it('warn where they change', () => {
    const { object } = create(podTemplate, 'v1', {
      ...BODY,
      template: { ...BODY.template, spec: { ...BODY.template.spec, nodeSelector: { 'beta.kubernetes.io/arch': 'x' } } },
    });
    assert.deepEqual(podTemplate.warnings!(object, undefined), [
      'template.spec.nodeSelector[beta.kubernetes.io/arch]: deprecated since v1.14; use "kubernetes.io/arch" instead',
    ]);
    assert.deepEqual(podTemplate.warnings!(object, object), []);
  });

  it('print a row', () =>
    assert.deepEqual(cells(podTemplate, create(podTemplate, 'v1', BODY).object), ['x', 'c,d', 'i:1,j', 'app=a']));
});
