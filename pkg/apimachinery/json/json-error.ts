/** Invalid JSON; the message is worded as in Go's decoder. */
export class JsonError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'JsonError';
  }
}
