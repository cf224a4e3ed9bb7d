import type { Route, RouteProvider } from './routes.ts';

/** For tests: a cloud that keeps routes in memory. */
export class SimulatedRoutes implements RouteProvider {
  routes: Route[] = [];
  hasAddresses = false;
  failure: Error | undefined;
  private made = 0;

  async list(): Promise<readonly Route[]> {
    return this.routes;
  }

  async create(_: string, nameHint: string, { addresses, ...route }: Route): Promise<void> {
    if (this.failure !== undefined) throw this.failure;
    const name = `${nameHint}-${this.made++}`;
    this.routes = [...this.routes, { ...route, name, ...(this.hasAddresses ? { addresses } : {}) }];
  }

  async delete(_: string, { name }: Route): Promise<void> {
    if (this.failure !== undefined) throw this.failure;
    this.routes = this.routes.filter((route) => route.name !== name);
  }
}
