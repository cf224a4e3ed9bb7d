import type { Dirent } from 'node:fs';
import { opendir } from 'node:fs/promises';

/** Entries that a page shows. */
const ENTRIES_MAX = 10_000;
const htmlEscapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&#34;',
  "'": '&#39;',
};

/**
 * A page with a link for each entry of a directory, `entriesMax` at most, in the order of their names; those of
 * directories end in a slash.
 */
export async function directoryPage(directory: string, entriesMax = ENTRIES_MAX): Promise<string> {
  const entries: Dirent[] = [];
  let more = false;
  for await (const entry of await opendir(directory)) {
    more = entries.length >= entriesMax;
    if (more) break;
    entries.push(entry);
  }
  const names = entries.map((entry) => `${entry.name}${entry.isDirectory() ? '/' : ''}`).sort();
  const links = names.map((name) => `<a href="${linkTo(name)}">${escapeHtml(name)}</a>\n`);
  return `<!doctype html>\n<meta charset="utf-8">\n<pre>\n${links.join('')}${more ? `(${entriesMax} of more)\n` : ''}</pre>\n`;
}

/** Relative; a name that looks like another scheme's address stays a name. */
function linkTo(name: string): string {
  const slash = name.endsWith('/') ? '/' : '';
  return `./${encodeURIComponent(slash === '' ? name : name.slice(0, -1)).replaceAll("'", '%27')}${slash}`;
}

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => htmlEscapes[character]!);
}
