import type { Client } from '../../../pkg/client/rest/client.ts';
import type { ControllerContext } from '../../../pkg/controllers/controller-context.ts';
import type { Controller } from '../../../pkg/controllers/controller.ts';
import type { TestServer } from '../../fixtures/test-server.ts';

/** A server that runs no controllers of its own, and how a controller under test reaches it. */
export interface ControllerHost {
  readonly server: TestServer;
  /** The administrator's, whatever transport the controller has. */
  readonly client: Client;
  /** Creates a namespace of the test's own. */
  namespace(): Promise<string>;
  /** Starts a controller, which runs until the test is over; resolves when it has worked once on what there was. */
  start(create: (context: ControllerContext) => Controller): Promise<Controller>;
  /** What controllers and informers of this test reported; what is left in it at the end fails the test. */
  readonly errors: string[];
}

/** Tests of one controller, which run against every store and over every transport. */
export interface ControllerSuite {
  readonly name: string;
  readonly define: (host: ControllerHost) => void;
}
