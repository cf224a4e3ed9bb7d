import assert from 'node:assert/strict';
import { chooseDocument, listDocuments, type DocumentList } from './document-list.ts';

const index = (...names: string[]): DocumentList =>
  listDocuments({
    paths: Object.fromEntries(names.map((name) => [name, { serverRelativeURL: `/openapi/v3/${name}?hash=AB` }])),
  });

describe('the documents of the API page', () => {
  it('are group versions and others', () => {
    const { groupVersions, others } = index(
      'api',
      'api/v1',
      'apis',
      'apis/apps',
      'apis/apps/v1',
      'apis/example.com/v1alpha1',
      'version',
    );
    assert.deepEqual(
      groupVersions,
      ['api/v1', 'apis/apps/v1', 'apis/example.com/v1alpha1'].map((name) => ({ name, url: `/openapi/v3/${name}` })),
    );
    assert.deepEqual(
      others.map(({ name }) => name),
      ['api', 'apis', 'apis/apps', 'version'],
    );
  });

  it('are chosen by name, and only from the list', () => {
    const list = index('apis/apps/v1', 'api/v1', 'version');
    const chosen = (name: string | null): string | undefined => chooseDocument(list, name)?.name;
    assert.deepEqual(
      [chosen('apis/apps/v1'), chosen('version'), chosen(null), chosen('https://evil.example/')],
      ['apis/apps/v1', 'version', 'api/v1', 'api/v1'],
    );
    assert.equal(chooseDocument(index('version'), null)?.name, 'version');
    assert.equal(chooseDocument(index(), 'api/v1'), undefined);
  });
});
