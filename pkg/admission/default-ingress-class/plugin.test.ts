import assert from 'node:assert/strict';
import { lookupOf, refusalOf, requestFor } from '../plugin-testing.ts';
import { defaultIngressClassPlugin } from './plugin.ts';

describe('DefaultIngressClass', () => {
  const ingressClass = (name: string, isDefault: string) => ({
    metadata: { name, annotations: { 'ingressclass.kubernetes.io/is-default-class': isDefault } },
  });
  const created = async (classes: object[], spec: object, annotations = {}) => {
    const ingress = { metadata: { name: 'i', namespace: 'd', annotations }, spec };
    const plugin = defaultIngressClassPlugin(lookupOf({ 'ingressclasses.networking.k8s.io': classes }));
    return (await refusalOf(plugin, requestFor('ingresses.networking.k8s.io', ingress))) ?? ingress.spec;
  };

  it('sets the default class', async () => {
    assert.deepEqual(await created([ingressClass('a', 'false'), ingressClass('b', 'true')], {}), {
      ingressClassName: 'b',
    });
    assert.deepEqual(await created([ingressClass('a', 'false')], {}), {});
  });

  it('keeps the class of the ingress', async () => {
    assert.deepEqual(await created([ingressClass('b', 'true')], { ingressClassName: 'x' }), { ingressClassName: 'x' });
    assert.deepEqual(await created([ingressClass('b', 'true')], {}, { 'kubernetes.io/ingress.class': 'x' }), {});
  });

  it('cannot choose between two', async () => {
    const answer = await created([ingressClass('a', 'true'), ingressClass('b', 'true')], {});
    assert.equal(
      answer,
      '403 ingresses.networking.k8s.io "i" is forbidden: Internal error occurred: 2 default IngressClasses were found',
    );
  });
});
