/** Every file of the API page by name, with its content type. No other file is served below the page's path. */
export const pageFileTypes = {
  'index.html': 'text/html; charset=utf-8',
  'page.css': 'text/css; charset=utf-8',
  'page.js': 'text/javascript; charset=utf-8',
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  // Swagger UI's own licence, and those of what its bundle contains.
  'swagger-ui.LICENSE.txt': 'text/plain; charset=utf-8',
  'swagger-ui-bundle.js.LICENSE.txt': 'text/plain; charset=utf-8',
} as const;

export type PageFileName = keyof typeof pageFileTypes;

export function isPageFile(name: string): name is PageFileName {
  return Object.hasOwn(pageFileTypes, name);
}

// Process-wide: files of the program.
let loaded: Promise<Readonly<Record<PageFileName, string>>> | undefined;

/**
 * All files, compressed with gzip, in base64. Loaded on first use: a server without the page, or whose page is not
 * opened, does not load them.
 */
export function loadPageFiles(): Promise<Readonly<Record<PageFileName, string>>> {
  loaded ??= import('../../generated/api-page.json', { with: { type: 'json' } }).then((module) => module.default);
  return loaded;
}
