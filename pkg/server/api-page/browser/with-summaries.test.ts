import assert from 'node:assert/strict';
import { withSummaries } from './with-summaries.ts';

describe('withSummaries', () => {
  it('shows the description of an operation as its summary', () => {
    const get = { operationId: 'list', description: 'List.', tags: ['a'] };
    const parameters = [{ name: 'pretty', description: 'Prints.' }];
    const { paths, ...rest } = withSummaries({
      info: { title: 'x', description: 'All.' },
      paths: { '/pods': { get, parameters, description: 'Pods.' } },
    });
    assert.deepEqual(paths, {
      '/pods': { get: { operationId: 'list', summary: 'List.', tags: ['a'] }, parameters, description: 'Pods.' },
    });
    assert.deepEqual(rest, { info: { title: 'x', description: 'All.' } });
  });

  it('leaves a summary alone', () => {
    const post = { operationId: 'create', summary: 'Create.', description: 'At length.' };
    assert.deepEqual(withSummaries({ paths: { '/pods': { post } } }), { paths: { '/pods': { post } } });
    assert.deepEqual(withSummaries({}), { paths: {} });
  });
});
