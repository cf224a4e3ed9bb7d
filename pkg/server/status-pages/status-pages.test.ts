import assert from 'node:assert/strict';
import { negotiatePage } from './negotiate-page.ts';

describe('the form of a status page', () => {
  const form = (accept: string | undefined) => negotiatePage(accept, 'Statusz');

  it('is text unless an object is requested', () => {
    for (const accept of [
      undefined,
      '',
      '*/*',
      'text/*',
      'text/plain',
      'text/plain; charset=UTF-8',
      'application/json, text/plain;q=0.1',
      'text/html, */*;q=0.5',
    ])
      assert.equal(form(accept), 'text', accept);
  });

  it('is an object for whom names kind, group and version', () => {
    for (const version of ['v1alpha1', 'v1beta1']) {
      assert.equal(form(`application/json;g=config.k8s.io;v=${version};as=Statusz`), version);
      assert.equal(
        form(
          `application/json;as=Statusz;v=v9;g=config.k8s.io, application/json;as=Statusz;v=${version};g=config.k8s.io`,
        ),
        version,
      );
    }
    assert.equal(form('application/json;as=Statusz;v=v1beta1;g=config.k8s.io, text/plain;q=0.5'), 'v1beta1');
  });

  it('is refused to all others', () => {
    for (const accept of [
      'application/json',
      'application/yaml',
      'text/html',
      'text/plain;charset=latin1',
      'application/json;as=Statusz;v=v1;g=config.k8s.io',
      'application/json;as=Flagz;v=v1beta1;g=config.k8s.io',
      'application/json;as=Statusz;v=v1beta1',
      'application/vnd.kubernetes.protobuf;as=Statusz;v=v1beta1;g=config.k8s.io',
    ])
      assert.throws(
        () => form(accept),
        (error: { status?: { code: number } }) =>
          JSON.stringify(error).includes('406') || String(error).includes('only the following media types'),
        accept,
      );
  });
});
