import assert from 'node:assert/strict';
import { hasSameFields } from './same-fields.ts';

describe('hasSameFields', () => {
  const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'main', resources: {} }] } };

  it('takes null and empty lists for absent fields', () => {
    const { metadata, spec } = template;
    const older = { metadata: { creationTimestamp: null, ...metadata }, spec: { ...spec, volumes: [] } };
    assert.ok(hasSameFields(template, older));
    assert.ok(hasSameFields(older, template));
    assert.ok(hasSameFields(undefined, null));
  });

  it('tells an empty struct from none', () => {
    const other = { ...template, spec: { ...template.spec, affinity: {} } };
    assert.ok(!hasSameFields(template, other));
    assert.ok(!hasSameFields(other, template));
  });

  it('tells other values apart', () => {
    for (const containers of [[], [{ name: 'other', resources: {} }], [{ name: 'main' }], { 0: 'main' }, 'main'])
      assert.ok(!hasSameFields(template, { ...template, spec: { containers } }), JSON.stringify(containers));
  });
});
