import { withSummaries, type OpenApiDocument } from './with-summaries.ts';

/** The used part of Swagger UI, which its own script defines under this name. */
declare const SwaggerUIBundle: {
  (settings: object): SwaggerUi;
  readonly presets: { readonly apis: unknown };
};

interface SwaggerUi {
  readonly specActions: {
    updateUrl(url: string): void;
    download(url: string): void;
    updateJsonSpec(document: object): unknown;
  };
}

interface OutgoingRequest {
  readonly url: string;
  headers: Record<string, string>;
}

/** Replaces Swagger UI's own forms for credentials: the page has one. */
const noAuthorizeButtons = () => ({
  wrapComponents: { authorizeBtn: () => () => null, authorizeOperationBtn: () => () => null },
});

/** Swagger UI reads every document as YAML, which takes seconds for a large one. */
const readsJson = () => {
  const parseToJson = (_parseYaml: unknown, ui: SwaggerUi) => (text: string) =>
    ui.specActions.updateJsonSpec(withSummaries(JSON.parse(text) as OpenApiDocument));
  return { statePlugins: { spec: { wrapActions: { parseToJson } } } };
};

/** The operations of one document, and the requests that a user tries out. */
export class OperationsView {
  private readonly node: HTMLElement;
  private readonly headersFor: (url: string) => Readonly<Record<string, string>>;
  private ui: SwaggerUi | undefined;

  /** `headersFor`: headers of each request to a URL, for the document itself and for those that are tried out. */
  constructor(node: HTMLElement, headersFor: (url: string) => Readonly<Record<string, string>>) {
    this.node = node;
    this.headersFor = headersFor;
  }

  /** Loads the document at `url` and shows it in place of what was there. */
  show(url: string): void {
    if (this.ui === undefined) {
      this.ui = this.open(url);
      return;
    }
    this.ui.specActions.updateUrl(url);
    this.ui.specActions.download(url);
  }

  private open(url: string): SwaggerUi {
    return SwaggerUIBundle({
      url,
      domNode: this.node,
      layout: 'BaseLayout',
      presets: [SwaggerUIBundle.presets.apis],
      plugins: [noAuthorizeButtons, readsJson],
      requestInterceptor: (request: OutgoingRequest) => {
        Object.assign(request.headers, this.headersFor(request.url));
        return request;
      },
      // The printed command lines would otherwise show the token.
      showMutatedRequest: false,
      // It would call another server.
      validatorUrl: null,
      deepLinking: true,
      displayRequestDuration: true,
      // Schemas are shown with the operations that use them; all of them at the end of the page are hundreds.
      defaultModelsExpandDepth: -1,
    });
  }
}
