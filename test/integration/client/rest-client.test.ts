/** The contract of clients, over HTTPS in every protocol and encoding. */
import { describeClient } from '../../../pkg/client/rest/client-contract.ts';
import type { ContractServer, ContractUser } from '../../../pkg/client/rest/client-contract-fixture.ts';
import { RestClient, type RestClientOptions } from '../../../pkg/client/rest/rest-client.ts';
import { startTestServer } from '../../fixtures/test-server.ts';

const variants = [
  { protocol: 'http/1.1', encoding: 'json' },
  { protocol: 'http/1.1', encoding: 'protobuf' },
  { protocol: 'h2', encoding: 'json' },
  { protocol: 'h2', encoding: 'protobuf' },
] as const satisfies readonly RestClientOptions[];

for (const options of variants) {
  describeClient(`${options.protocol}, ${options.encoding}`, async (): Promise<ContractServer> => {
    const server = await startTestServer();
    const clients: RestClient[] = [];
    return {
      clientOf({ name, groups = [] }: ContractUser) {
        const { url, token } = server.running;
        const credentials = { token, impersonate: { name, groups } };
        const client = new RestClient({ server: new URL(url), insecureSkipTlsVerify: true, credentials }, options);
        clients.push(client);
        return client;
      },
      async stop() {
        for (const client of clients) client.close();
        await server.stop();
      },
    };
  });
}
