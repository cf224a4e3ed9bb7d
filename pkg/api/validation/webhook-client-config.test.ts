import assert from 'node:assert/strict';
import { FieldErrors, fieldErrorText } from '../../apimachinery/errors/field-errors.ts';
import { field } from '../../apimachinery/errors/field-path.ts';
import { validateWebhookClientConfig } from './webhook-client-config.ts';

function problems(config: Parameters<typeof validateWebhookClientConfig>[0]): string[] {
  const errors = new FieldErrors();
  validateWebhookClientConfig(config, field('c'), errors);
  return errors.items.map(fieldErrorText);
}

const FORM = '; desired format: https://host[/path]';

describe('client configuration of a webhook', () => {
  it('takes an https URL', () => {
    for (const url of ['https://a.example.com', 'https://a:8443/x/y', 'HTTPS://[::1]:9443/x'])
      assert.deepEqual(problems({ url }), []);
  });

  it('refuses other URLs', () => {
    assert.deepEqual(problems({ url: 'http://a' }), [
      `c.url: Invalid value: "http": 'https' is the only allowed URL scheme${FORM}`,
    ]);
    assert.deepEqual(problems({ url: 'https:///x' }), [`c.url: Invalid value: "": host must be specified${FORM}`]);
    assert.deepEqual(problems({ url: 'https://u:p@a/x?q=1#f' }), [
      'c.url: Invalid value: "u:p": user information is not permitted in the URL',
      'c.url: Invalid value: "f": fragments are not permitted in the URL',
      'c.url: Invalid value: "q=1": query parameters are not permitted in the URL',
    ]);
    assert.deepEqual(problems({ url: '://a' }), [
      `c.url: Required value: url must be a valid URL: parse "://a": missing protocol scheme${FORM}`,
    ]);
    assert.match(problems({ url: 'https://a\nb' })[0]!, /invalid control character in URL/);
    assert.match(problems({ url: 'https://a:b/x' })[0]!, /invalid port ":b" after host/);
  });

  it('checks a service', () => {
    assert.deepEqual(problems({ service: { name: 's', namespace: 'n', port: 443, path: '/a/b/' } }), []);
    assert.deepEqual(problems({ service: { name: '', namespace: '', port: 0, path: 'a//b' } }), [
      'c.service.name: Required value: service name is required',
      'c.service.namespace: Required value: service namespace is required',
      'c.service.port: Invalid value: 0: port is not valid: must be between 1 and 65535, inclusive',
      'c.service.path: Invalid value: "a//b": must start with a \'/\'',
      'c.service.path: Invalid value: "a//b": segment[0] may not be empty',
      'c.service.path: Invalid value: "a//b": segment[1] may not be empty',
    ]);
    assert.deepEqual(problems({ service: { name: 's', namespace: 'n', port: 1, path: '//' } }), [
      'c.service.path: Invalid value: "//": segment[0] may not be empty',
    ]);
  });
});
