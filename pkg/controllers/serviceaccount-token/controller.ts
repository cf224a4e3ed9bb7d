import { secrets, serviceAccounts } from '../../api/core/tokens.ts';
import { keyOf } from '../../client/informer/object-key.ts';
import { unlessNotFound } from '../../apimachinery/errors/status-error.ts';
import { getKey } from '../../apimachinery/json/own-keys.ts';
import type { Secret } from '../../generated/types/core-v1.ts';
import type { ControllerContext } from '../controller-context.ts';
import type { ControllerDescriptor } from '../controller-descriptor.ts';
import type { Controller } from '../controller.ts';
import type { ControllersConfig } from '../controllers-config.ts';
import { QueueController } from '../queue-controller.ts';
import { reconcile, type TokenSteps } from './reconcile.ts';
import { removeReference } from './remove-reference.ts';
import { tokenSigner } from './sign-token.ts';
import { ACCOUNT_NAME, TOKEN_SECRET_TYPE } from './token-secret.ts';

export const serviceAccountTokenController: ControllerDescriptor = {
  name: 'serviceaccount-token-controller',
  // It may read and write every secret, which no account of a controller may: the manager does it itself.
  account: undefined,
  resources: [secrets, serviceAccounts],
  create: (context, { accounts, workers }) =>
    accounts.privateKey === '' ? undefined : controllerOfTokens(context, accounts, workers.serviceAccountToken),
};

const BY_ACCOUNT = 'token-secrets-by-account';

/** Fills secrets that ask for the token of an account, and deletes those whose account is gone. */
function controllerOfTokens(
  context: ControllerContext,
  { privateKey, rootCa }: ControllersConfig['accounts'],
  workers: number,
): Controller {
  const { client, informers } = context;
  const sign = tokenSigner(privateKey);
  const accounts = informers.informer(serviceAccounts);
  const tokens = informers.informer(secrets, { fieldSelector: `type=${TOKEN_SECRET_TYPE}` });
  tokens.addIndex(BY_ACCOUNT, (secret) => [accountKeyOf(secret)]);
  const steps: TokenSteps = {
    rootCa,
    sign,
    cachedAccount: (name) => accounts.lister.get(name),
    readAccount: (name) => unlessNotFound(client.get(serviceAccounts, name)),
    readSecret: (name) => unlessNotFound(client.get(secrets, name)),
    updateSecret: (secret) => client.update(secrets, secret),
    deleteSecret: ({ metadata: { namespace = '', name = '', uid = '' } }) =>
      client.delete(secrets, { namespace, name }, { preconditions: { uid } }),
  };
  const controller = new QueueController(context, {
    name: 'serviceaccount-token',
    workers,
    reconcile: async (key) => {
      const [namespace = '', name = '', account] = key.split('/');
      const secret = tokens.lister.get({ namespace, name });
      if (secret !== undefined) return reconcile(secret, steps);
      if (account === undefined) return;
      await removeReference({ namespace, name: account }, name, {
        cachedAccount: steps.cachedAccount,
        readAccount: steps.readAccount,
        updateAccount: (object) => client.update(serviceAccounts, object),
      });
    },
  });
  controller.follow(tokens, (secret) => [keyOf(secret)]);
  controller.handle(tokens, {
    onDelete: (secret) => controller.queue.add(`${keyOf(secret)}/${getKey(secret.metadata.annotations, ACCOUNT_NAME)}`),
  });
  controller.handle(accounts, {
    onDelete: (account) => {
      for (const secret of tokens.lister.listByIndex(BY_ACCOUNT, keyOf(account))) controller.queue.add(keyOf(secret));
    },
  });
  return controller;
}

function accountKeyOf({ metadata }: Secret): string {
  return `${metadata.namespace}/${getKey<string>(metadata.annotations, ACCOUNT_NAME) ?? ''}`;
}
