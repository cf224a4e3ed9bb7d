/** A text that is no JSON, in the words of Go's decoder. */
export class JsonError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'JsonError';
  }
}
