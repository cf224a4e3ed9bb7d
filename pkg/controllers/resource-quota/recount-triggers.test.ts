import assert from 'node:assert/strict';
import { configMaps, persistentVolumeClaims, pods } from '../../api/core/tokens.ts';
import { quotaEvaluators } from '../../api/core/resource-quota/usage/evaluators.ts';
import type { NamedResource } from '../../api/resource.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import type { ResourceQuota, ResourceQuotaSpec } from '../../generated/types/core-v1.ts';
import { recountInMs, recountTriggers } from './recount-triggers.ts';

describe('what has quotas counted again', () => {
  const evaluatorOf = quotaEvaluators(() => 0);
  const object = (content: object): ApiObject => ({ metadata: { namespace: 'ns', name: 'o' }, ...content });
  const after = (
    resource: NamedResource,
    spec: ResourceQuotaSpec,
    change: 'add' | 'first' | 'delete' | readonly [old: object, current: object],
  ): string[] => {
    const quota = { metadata: { namespace: 'ns', name: 'q' }, spec, status: {} } as ResourceQuota;
    const counts: string[] = [];
    const triggers = recountTriggers(evaluatorOf(resource)!, {
      quotasIn: (namespace) => (namespace === 'ns' ? [quota] : []),
      recount: (_, reason) => void counts.push(reason),
    });
    if (change === 'delete') triggers.onDelete!(object({}));
    else if (typeof change === 'string') triggers.onAdd!(object({}), change === 'first');
    else triggers.onUpdate?.(object(change[0]), object(change[1]));
    return counts;
  };
  const spec = (hard: string, more: object = {}): ResourceQuotaSpec => ({ hard: { [hard]: '1' }, ...more });
  const pod = (cpu: string, phase = 'Running', more: object = {}): object => ({
    spec: { containers: [{ name: 'c', resources: { requests: { cpu } } }], ...more },
    status: { phase },
  });

  it('are objects of what the quota bounds, that come later or go', () => {
    assert.deepEqual(after(configMaps, spec('configmaps'), 'add'), ['added']);
    assert.deepEqual(after(configMaps, spec('configmaps'), 'first'), []);
    assert.deepEqual(after(configMaps, spec('count/configmaps'), 'delete'), ['gone']);
    assert.deepEqual(after(configMaps, spec('pods'), 'delete'), []);
    assert.deepEqual(after(configMaps, spec('configmaps'), [{ data: {} }, { data: { a: 'b' } }]), []);
  });

  it('are pods that end, or take another amount, and no other changes of them', () => {
    const change = (old: object, current: object): string[] => after(pods, spec('requests.cpu'), [old, current]);
    assert.deepEqual(change(pod('1'), pod('1', 'Succeeded')), ['gone']);
    assert.deepEqual(change(pod('1'), pod('2')), ['gone']);
    assert.deepEqual(change(pod('1'), pod('1', 'Pending')), []);
  });

  it('are objects that leave or enter the scopes of the quota', () => {
    const deadline = [pod('1'), pod('1', 'Running', { activeDeadlineSeconds: 5 })] as const;
    assert.deepEqual(after(pods, spec('pods', { scopes: ['Terminating'] }), deadline), ['gone']);
    assert.deepEqual(after(pods, spec('pods', { scopes: ['BestEffort'] }), deadline), []);
    const scopeSelector = {
      matchExpressions: [{ scopeName: 'VolumeAttributesClass', operator: 'In', values: ['gold'] }],
    };
    const claim = (currentVolumeAttributesClassName: string): object => ({
      spec: { resources: { requests: { storage: '1Gi' } } },
      status: { currentVolumeAttributesClassName },
    });
    const classes = [claim('gold'), claim('silver')] as const;
    assert.deepEqual(after(persistentVolumeClaims, spec('requests.storage', { scopeSelector }), classes), ['gone']);
    assert.deepEqual(after(persistentVolumeClaims, spec('requests.storage'), classes), []);
  });

  it('waits longer where counting takes long, but not without bound', () => {
    assert.deepEqual([recountInMs('gone', 0), recountInMs('added', 0)], [50, 1000]);
    assert.deepEqual([recountInMs('gone', 200), recountInMs('added', 50)], [2000, 1000]);
    assert.equal(recountInMs('gone', 60_000), 10_000);
  });
});
