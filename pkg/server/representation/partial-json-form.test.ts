import assert from 'node:assert/strict';
import { cached, listBytes, resourceAt } from './cached-testing.ts';
import { PartialJsonForm } from './partial-json-form.ts';

const target = resourceAt('v1', 'configmaps');
const map = (name: string, annotations?: Record<string, string>) =>
  cached(
    target,
    {
      metadata: { name, labels: { l: 'v' }, ...(annotations === undefined ? {} : { annotations }) },
      data: { a: 'secret' },
    },
    7,
  );
const type = { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1' };
const metadata = (name: string) => ({ name, resourceVersion: '7', labels: { l: 'v' } });

describe('PartialJsonForm', () => {
  const form = new PartialJsonForm('v1', []);
  const parse = (bytes: Uint8Array) => JSON.parse(Buffer.from(bytes).toString());

  it('shows type and metadata alone', () =>
    assert.deepEqual(parse(Buffer.concat(form.single(map('a')))), { ...type, metadata: metadata('a') }));

  it('gives each item of a list its type', () => {
    assert.deepEqual(parse(listBytes(form, { resourceVersion: '9' }, [map('a'), map('b')])), {
      kind: 'PartialObjectMetadataList',
      apiVersion: 'meta.k8s.io/v1',
      metadata: { resourceVersion: '9' },
      items: [
        { ...type, metadata: metadata('a') },
        { ...type, metadata: metadata('b') },
      ],
    });
  });

  it('has null items in an empty list', () => {
    assert.equal(
      listBytes(form, { resourceVersion: '9', continue: 'a[b' }, []).toString(),
      '{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"9","continue":"a[b"},"items":null}\n',
    );
  });

  it('frames events and bookmarks', () => {
    assert.deepEqual(parse(form.frame('MODIFIED', map('a'))), {
      type: 'MODIFIED',
      object: { ...type, metadata: metadata('a') },
    });
    assert.deepEqual(parse(form.bookmark(8, false)), {
      type: 'BOOKMARK',
      object: { ...type, metadata: { resourceVersion: '8' } },
    });
  });

  it('speaks the older version too', () =>
    assert.equal(
      parse(Buffer.concat(new PartialJsonForm('v1beta1', []).single(map('a')))).apiVersion,
      'meta.k8s.io/v1beta1',
    ));

  it('hides annotations that stand for fields, and no others', () => {
    const hiding = new PartialJsonForm('v1', ['hidden', 'other']);
    const annotations = (given: Record<string, string>) =>
      parse(Buffer.concat(hiding.single(map('a', given)))).metadata.annotations;
    assert.deepEqual(annotations({ hidden: 'x', shown: 'y' }), { shown: 'y' });
    assert.equal(annotations({ hidden: 'x' }), undefined);
    assert.deepEqual(annotations({ shown: 'y' }), { shown: 'y' });
  });
});
