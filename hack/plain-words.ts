/** Words of comments, test titles and documents that hide who does what: the field and the style have others. */
const UNPLAIN =
  /\b(?:whoever|whomever|nobody|somebody|strangers?|told|untold|mend(?:s|ed|ing)?|anew|lent|unhurried|under ?way|let(?:s|ting)? go of|turn(?:s|ed|ing)? away|comes? to rest|patience|in vain)\b/i;

const COMMENT = /(?:^|\s)(?:\/\/|\/\*\*?|\*)\s(.*)$/;

const TITLE = /\b(?:it|describe|context)(?:\.\w+)?\(\s*(?:'([^']*)'|"([^"]*)"|`([^`]*)`)/;

/** The first such word of a line of TypeScript or Markdown; undefined where there is none. Code is not checked. */
export function unplainWord(line: string, isMarkdown: boolean): string | undefined {
  return UNPLAIN.exec(prose(line, isMarkdown))?.[0];
}

function prose(line: string, isMarkdown: boolean): string {
  if (isMarkdown) return line.replace(/`[^`]*`/g, '');
  const title = TITLE.exec(line);
  if (title) return (title[1] ?? title[2] ?? title[3]!).replace(/\$\{.*?\}/g, '');
  return (COMMENT.exec(line)?.[1] ?? '').replace(/`[^`]*`/g, '');
}
