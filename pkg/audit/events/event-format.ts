/** Versions in which events are written. */
export type AuditVersion = 'audit.k8s.io/v1' | 'audit.k8s.io/v1beta1';

/**
 * How events become bytes. `lines`: JSON, one event a line. `list`: a JSON EventList. `legacy`: one line of text an
 * event. `request-lines`: two lines of text, one for the request and one for the answer, as before policies existed.
 */
export type EventFormat =
  { readonly kind: 'lines' | 'list'; readonly version: AuditVersion } | { readonly kind: 'legacy' | 'request-lines' };
