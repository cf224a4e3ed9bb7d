import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { agentNetwork } from '../../fixtures/node-agent/agent-network.ts';
import { NodeAgent } from '../../fixtures/node-agent/node-agent.ts';
import { startTestServer, type TestServer } from '../../fixtures/test-server.ts';
import { TestAuthority } from '../../../pkg/net/certificates-testing.ts';
import { Kubectl, kubectlVersions } from './kubectl.ts';

// With WebSockets newer clients speak them from end to end; without they fall back to SPDY.
for (const version of kubectlVersions)
  for (const websocketProtocols of [['v5.channel.k8s.io', 'v4.channel.k8s.io'], []]) {
    describe(`kubectl ${version}: streams to an agent with ${websocketProtocols[0] ?? 'SPDY alone'}`, function () {
      this.timeout(60_000);
      const home = mkdtempSync(path.join(tmpdir(), 'binnacle-streams-'));
      let agent: NodeAgent;
      let server: TestServer;
      let kubectl: Kubectl;

      before(async () => {
        const authority = await TestAuthority.create();
        const client = await authority.sign({ subject: 'CN=apiserver', extendedKeyUsages: ['1.3.6.1.5.5.7.3.2'] });
        const file = (name: string, text: string): string => {
          writeFileSync(path.join(home, name), text);
          return path.join(home, name);
        };
        agent = await NodeAgent.start({
          authority,
          names: ['agent.test'],
          clientCa: authority.pem,
          websocketProtocols,
        });
        server = await startTestServer({
          network: agentNetwork(new Map([['agent.test', ['192.0.2.10']]])),
          args: [
            `--nodeagent-certificate-authority=${file('ca.crt', authority.pem)}`,
            `--nodeagent-client-certificate=${file('client.crt', client.pem)}`,
            `--nodeagent-client-key=${file('client.key', client.keyPem)}`,
          ],
        });
        const api = server.client;
        await api.post('/api/v1/nodes', { metadata: { name: 'n1' } });
        await api.patch('/api/v1/nodes/n1/status', 'merge', {
          status: {
            addresses: [
              { type: 'InternalIP', address: '192.0.2.99' },
              { type: 'Hostname', address: 'agent.test' },
            ],
            daemonEndpoints: { kubeletEndpoint: { Port: agent.port } },
          },
        });
        await api.post('/api/v1/namespaces/default/pods', {
          metadata: { name: 'web' },
          spec: { nodeName: 'n1', containers: [{ name: 'main', image: 'i:1', ports: [{ containerPort: 80 }] }] },
        });
        await api.patch('/api/v1/namespaces/default/pods/web/status', 'merge', { status: { phase: 'Running' } });
        agent.logs.append('default/web/main', 'one');
        agent.logs.append('default/web/main', 'two');
        kubectl = new Kubectl({ version, kubeconfig: server.running.kubeconfig.path, namespace: 'default', home });
      });
      after(async () => {
        await server.stop();
        await agent.stop();
        assert.deepEqual(server.errors, []);
        rmSync(home, { recursive: true, force: true });
      });

      it('shows and follows logs', async () => {
        assert.equal(await kubectl.ok`logs web`, 'one\ntwo\n');
        assert.equal(await kubectl.ok`logs web --tail=1`, 'two\n');
        assert.equal(
          await kubectl.ok`logs web --previous --timestamps --tail=1`,
          '2026-01-02T03:04:05.000000006Z before: two\n',
        );
        assert.equal(await kubectl.ok`logs web --limit-bytes=2`, 'on');
        const following = kubectl.start`logs -f web --tail=1`;
        await following.until((text) => text === 'two\n');
        agent.logs.append('default/web/main', 'three');
        await following.until((text) => text === 'two\nthree\n');
        agent.logs.end('default/web/main');
        assert.equal(await following.end(), 0);
        assert.match(await kubectl.fails`logs web -c other`, /container other is not valid for pod web/);
      });

      it('runs commands', async () => {
        assert.deepEqual(await kubectl.run`exec web -- sh -c ${'echo out; echo err >&2; exit 3'}`, {
          status: 3,
          stdout: 'out\n',
          stderr: 'err\ncommand terminated with exit code 3\n',
        });
        const large = 'x'.repeat(300_000);
        assert.equal(await kubectl.input(large).ok`exec -i web -- cat`, large);
        assert.match(await kubectl.fails`exec web -- no-such-program`, /error executing command in container/);
        assert.equal(await kubectl.input('told').ok`attach -i web`, 'attached\ntold');
      });

      it('copies files with tar', async () => {
        writeFileSync(path.join(agent.dir, 'there.txt'), 'content');
        await kubectl.ok`cp web:there.txt ${path.join(home, 'here.txt')}`;
        assert.equal(readFileSync(path.join(home, 'here.txt'), 'utf8'), 'content');
      });

      it('forwards ports', async () => {
        const web = createServer((_request, response) => void response.end('from the pod'));
        await new Promise<void>((resolve) => void web.listen(0, '127.0.0.1', resolve));
        agent.ports.set(80, (web.address() as AddressInfo).port);
        const forwarding = kubectl.start`port-forward pod/web :80 --address=127.0.0.1`;
        try {
          const port = /127\.0\.0\.1:(\d+) ->/.exec(await forwarding.until((text) => text.includes('->')))![1];
          for (let i = 0; i < 3; i++)
            assert.equal(await (await fetch(`http://127.0.0.1:${port}`)).text(), 'from the pod');
        } finally {
          await forwarding.stop();
          web.closeAllConnections();
          web.close();
        }
      });

      it('shows the certificate of the server', async () => {
        assert.ok(
          agent.received.length > 0 && agent.received.every(({ clientSubject }) => clientSubject === 'CN=apiserver'),
        );
      });
    });
  }
