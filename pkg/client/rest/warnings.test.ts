import assert from 'node:assert/strict';
import { configMaps } from '../../api/core/tokens.ts';
import { answerJson, startHttpsService } from '../../net/https-service-testing.ts';
import { RestClient } from './rest-client.ts';
import { logWarningsOnce, warningTexts } from './warnings.ts';

describe('warnings', () => {
  it('are the texts of code 299, unquoted', () => {
    assert.deepEqual(warningTexts('299 - "policy/v1beta1 is deprecated"'), ['policy/v1beta1 is deprecated']);
    assert.deepEqual(warningTexts('299 - "a, \\"b\\" \\\\", 110 host "stale" "Wed, 21 Oct", 299 agent "c" "date"'), [
      'a, "b" \\',
      'c',
    ]);
    assert.deepEqual(warningTexts('299 - "whole", 299 - broken'), ['whole']);
    assert.deepEqual(warningTexts(''), []);
  });

  it('are written once each', () => {
    const written: string[] = [];
    const log = logWarningsOnce((text) => written.push(text));
    for (const text of ['a', 'b', 'a', 'a']) log(text);
    assert.deepEqual(written, ['a', 'b']);
  });

  it('reach the handler of a client, also those of refusals', async () => {
    let code = 200;
    const service = await startHttpsService((_request, response) => {
      response.setHeader('warning', ['299 - "one"', '299 - "two"']);
      answerJson(response, { apiVersion: 'v1', kind: 'ConfigMap', metadata: {} }, code);
    });
    const texts: string[] = [];
    const config = { server: new URL(service.url), ca: service.ca, credentials: {} };
    const client = new RestClient(config, { onWarning: (text) => texts.push(text) });
    try {
      await client.get(configMaps, { namespace: 'n', name: 'a' });
      code = 422;
      await assert.rejects(client.get(configMaps, { namespace: 'n', name: 'a' }));
      assert.deepEqual(texts, ['one', 'two', 'one', 'two']);
    } finally {
      client.close();
      await service.close();
    }
  });
});
