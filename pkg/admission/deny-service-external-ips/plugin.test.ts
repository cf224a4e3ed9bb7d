import assert from 'node:assert/strict';
import { refusalOf, requestFor } from '../plugin-testing.ts';
import { denyServiceExternalIpsPlugin } from './plugin.ts';

describe('DenyServiceExternalIPs', () => {
  const service = (...externalIPs: string[]) => ({ metadata: { name: 's', namespace: 'n' }, spec: { externalIPs } });
  const refused = (now: object, oldObject?: object) =>
    refusalOf(
      denyServiceExternalIpsPlugin(),
      requestFor(
        'services',
        now,
        oldObject === undefined ? {} : { operation: 'UPDATE', oldObject: oldObject as never },
      ),
    );
  const words = '403 services "s" is forbidden: Use of external IPs is denied by admission control.';

  it('refuses new addresses', async () => {
    assert.equal(await refused(service('1.2.3.4')), words);
    assert.equal(await refused(service('1.2.3.4', '1.2.3.5'), service('1.2.3.4')), words);
  });

  it('lets services keep and lose what they have', async () => {
    assert.equal(await refused(service()), undefined);
    assert.equal(await refused({ metadata: { name: 's' }, spec: {} }), undefined);
    assert.equal(await refused(service('1.2.3.4'), service('1.2.3.4', '1.2.3.5')), undefined);
  });
});
