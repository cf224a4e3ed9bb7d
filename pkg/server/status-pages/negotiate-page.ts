import { notAcceptable } from '../../apimachinery/errors/status-error.ts';
import { accepts, parseAccept, type MediaRange } from '../documents/accept-header.ts';

const GROUP = 'config.k8s.io';
const versions = ['v1alpha1', 'v1beta1'] as const;

/** The form of a status page: text for people, or an object of a version. */
export type PageForm = 'text' | (typeof versions)[number];

/**
 * The preferred form of an `Accept` header. An object is answered only where its kind, group and version are named.
 * Throws 406.
 */
export function negotiatePage(accept: string | undefined, kind: string): PageForm {
  for (const range of parseAccept(accept)) {
    if (takesText(range)) return 'text';
    const version = range.params.get('v');
    const isKind = range.params.get('as') === kind && range.params.get('g') === GROUP;
    if (isKind && accepts(range, 'application/json')) for (const each of versions) if (each === version) return each;
  }
  const objects = versions.map((version) => `application/json;as=${kind};g=${GROUP};v=${version}`);
  throw notAcceptable(`only the following media types are accepted: ${['text/plain', ...objects].join(', ')}`);
}

function takesText(range: MediaRange): boolean {
  if (!accepts(range, 'text/plain')) return false;
  return range.params.size === 0 || (range.params.size === 1 && range.params.get('charset')?.toLowerCase() === 'utf-8');
}

/** Type and name of an object that answers for a page. */
export function pageObject(kind: string, version: string, component: string): Record<string, unknown> {
  return { kind, apiVersion: `${GROUP}/${version}`, metadata: { name: component } };
}
