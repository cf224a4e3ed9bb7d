import { BearerToken } from './bearer-token.ts';
import {
  chooseDocument,
  listDocuments,
  type DocumentIndex,
  type DocumentList,
  type ListedDocument,
} from './document-list.ts';
import { OperationsView } from './operations-view.ts';

/**
 * The page's script: a list of documents to choose from, a token for requests, and the operations of the chosen
 * document.
 */

/** Beside the page, also behind a proxy. */
const INDEX_URL = '../openapi/v3';
/** Parameter of the page's URL that names the chosen document. */
const PARAMETER = 'document';

const choice = document.querySelector<HTMLSelectElement>('#document')!;
const credential = document.querySelector<HTMLFormElement>('#credential')!;
const tokenField = document.querySelector<HTMLInputElement>('#token')!;
const notice = document.querySelector<HTMLElement>('#notice')!;
const token = new BearerToken(location.origin);
const view = new OperationsView(document.querySelector<HTMLElement>('#operations')!, (url) => token.headersFor(url));
let list: DocumentList = { groupVersions: [], others: [] };

/** Throws with advice for the user. */
async function loadList(): Promise<DocumentList> {
  const answer = await fetch(INDEX_URL, {
    headers: { Accept: 'application/json', ...token.headersFor(new URL(INDEX_URL, location.href).href) },
  });
  if (answer.status === 401 || answer.status === 403)
    throw new Error('Type in the token of a user who may read the API, or open this page through kubectl proxy.');
  if (!answer.ok) throw new Error(`The list of documents could not be read: the server answered ${answer.status}.`);
  return listDocuments((await answer.json()) as DocumentIndex);
}

function options(label: string, documents: readonly ListedDocument[]): HTMLOptGroupElement {
  const group = document.createElement('optgroup');
  group.label = label;
  group.append(...documents.map(({ name }) => new Option(name, name)));
  return group;
}

function show(wanted: ListedDocument | undefined): void {
  if (wanted === undefined) return;
  choice.value = wanted.name;
  view.show(new URL(`..${wanted.url}`, location.href).href);
}

/** Reads everything again with the present token. */
async function load(): Promise<void> {
  notice.textContent = 'Loading the list of documents.';
  try {
    list = await loadList();
    notice.textContent = '';
  } catch (error) {
    notice.textContent = (error as Error).message;
    return;
  }
  choice.replaceChildren(options('Group versions', list.groupVersions), options('Others', list.others));
  choice.disabled = false;
  show(chooseDocument(list, new URLSearchParams(location.search).get(PARAMETER)));
}

choice.addEventListener('change', () => {
  history.replaceState(null, '', `?${new URLSearchParams({ [PARAMETER]: choice.value })}`);
  show(chooseDocument(list, choice.value));
});
credential.addEventListener('submit', (event) => {
  event.preventDefault();
  token.set(tokenField.value);
  void load();
});
void load();
