/** Path and query of a request. Proxies send the absolute form; host and scheme decide nothing here. */
export function requestTarget(url: string | undefined): { readonly path: string; readonly query: string } {
  const target = (url ?? '/').replace(/^https?:\/\/[^/?]*\/?/i, '/');
  const mark = target.indexOf('?');
  return mark < 0 ? { path: target, query: '' } : { path: target.slice(0, mark), query: target.slice(mark + 1) };
}
